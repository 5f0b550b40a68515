//! Writes weight files in the format that `weights` reads. The same tensors in the same order result in the same bytes.

use serde_json::{Map, Value, json};

/// The version of the format.
pub(super) const FORMAT: &str = "1";

/// A weight file under construction. Tensors of F32 come first, so that they are aligned.
pub struct WeightFile {
    header: Map<String, Value>,
    data: Vec<u8>,
}

impl WeightFile {
    /// Starts a file. `config` is the model's own.
    pub fn new(name: &str, version: &str, config: &Value) -> Self {
        let metadata = json!({
            "name": name,
            "version": version,
            "format": FORMAT,
            "config": config.to_string(),
        });
        Self { header: Map::from_iter([("__metadata__".to_owned(), metadata)]), data: Vec::new() }
    }

    /// Adds a tensor of F32.
    pub fn floats(&mut self, name: String, shape: &[usize], values: &[f32]) {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.tensor(name, "F32", shape, &bytes);
    }

    /// Adds a tensor of I8.
    pub fn bytes(&mut self, name: String, shape: &[usize], values: &[u8]) {
        self.tensor(name, "I8", shape, values);
    }

    fn tensor(&mut self, name: String, dtype: &str, shape: &[usize], bytes: &[u8]) {
        let start = self.data.len();
        self.data.extend_from_slice(bytes);
        let place = json!({ "dtype": dtype, "shape": shape, "data_offsets": [start, self.data.len()] });
        self.header.insert(name, place);
    }

    /// The length of the header, the header padded to a multiple of 8, the data:
    /// <https://github.com/huggingface/safetensors#format>.
    pub fn into_bytes(self) -> Vec<u8> {
        let mut header = Value::Object(self.header).to_string().into_bytes();
        header.resize(header.len().next_multiple_of(8), b' ');
        [&(header.len() as u64).to_le_bytes()[..], &header, &self.data].concat()
    }
}
