"""Training of decision model 3: a multilingual network that encodes each state once for any number of questions."""
