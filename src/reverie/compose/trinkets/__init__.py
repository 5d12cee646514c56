"""The sections that ship with Reverie, one small file each; `factory.py` says which of them a profile has."""
