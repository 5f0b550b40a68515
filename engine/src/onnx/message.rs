//! Encodes protocol buffers, as far as ONNX needs it: wire types 0 (varint), 2 (bytes) and 5 (32 bits).

/// The bytes of a message; its fields are in the order in which they were added.
#[derive(Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    pub(super) fn int(&mut self, field: u64, value: i64) {
        self.varint(field << 3);
        self.varint(value as u64);
    }

    pub(super) fn float(&mut self, field: u64, value: f32) {
        self.varint(field << 3 | 5);
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn bytes(&mut self, field: u64, value: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
    }

    pub(super) fn text(&mut self, field: u64, value: &str) {
        self.bytes(field, value.as_bytes());
    }

    pub(super) fn message(&mut self, field: u64, value: &Message) {
        self.bytes(field, &value.0);
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}
