"""Language models: a prompt in, a metered reply out.

`http` makes one exchange, `messages` and `chat` know the two wire protocols, `remote` joins them into a `Model`,
`prices` says what a reply costs, and `budget` lets no call happen that might exceed a ceiling.
"""
