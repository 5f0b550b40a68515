//! Classifies a picture: safe, drawn, suggestive or pornographic.
