//! Reads an age from a face, several times over.
