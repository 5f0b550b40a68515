//! Fetches the models that `models/models.lock` names, verifies them and converts them.
