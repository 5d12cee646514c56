"""Language models: a prompt in, a metered reply out; or a request of a conversation in, what the model said out.

`messages` and `chat` know the two wire protocols, `remote` makes a `Model` of them and `converse` a `Converser`, which
`streaming` hears word by word. `prices` says what a reply costs, and `budget` lets no call happen that might exceed a
ceiling. The exchange itself is Env's.
"""
