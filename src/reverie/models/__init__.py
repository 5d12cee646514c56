"""Language models: a prompt in, a metered reply out; or a request of a conversation in, what the model said out.

`http` makes one exchange, `messages` and `chat` know the two wire protocols, `remote` joins them into a `Model` and
`converse` into a `Converser`, which `streaming` hears word by word. `prices` says what a reply costs, and `budget` lets
no call happen that might exceed a ceiling.
"""
