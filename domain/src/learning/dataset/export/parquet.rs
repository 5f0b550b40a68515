//! Apache Parquet: typed columns, the answers of a sample as a list of structs, compressed with zstd. Row groups
//! are limited in rows and bytes, since each stays in memory until it is written.

use std::{
    io::{self, Write},
    sync::Arc,
};

use ::parquet::{
    arrow::ArrowWriter,
    basic::{Compression, ZstdLevel},
    file::properties::{EnabledStatistics, WriterProperties},
    schema::types::ColumnPath,
};
use arrow_array::{
    ArrayRef, Float64Array, Int32Array, RecordBatch, StringArray, TimestampMicrosecondArray,
    builder::{
        Float64Builder, ListBuilder, MapBuilder, MapFieldNames, StringBuilder, StructBuilder,
        TimestampMicrosecondBuilder,
    },
};
use arrow_schema::{DataType, Field, Fields, Schema, TimeUnit};
use entity::sample_answer;
use serde_json::{Map, Value};

use super::{pages::Pages, snapshot::ExportedSample};
use crate::money::amount::Amount;

/// Maximum rows in a row group.
const GROUP_ROWS: usize = 65_536;
/// Bytes in a row group before compression, approximately.
const GROUP_BYTES: usize = 8 * 1024 * 1024;

pub(super) fn write(pages: Pages, out: &mut (impl Write + Send)) -> io::Result<()> {
    let schema = Arc::new(schema());
    // Minimum and maximum of a text do not help a reader to skip a row group, and would repeat the content.
    let texts = ["state", "instructions"].map(|name| ColumnPath::from(name.to_owned()));
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_max_row_group_row_count(Some(GROUP_ROWS))
        .set_max_row_group_bytes(Some(GROUP_BYTES));
    for column in texts {
        properties = properties
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_statistics_enabled(column, EnabledStatistics::None);
    }
    let mut writer = ArrowWriter::try_new(out, schema.clone(), Some(properties.build()))?;
    for rows in pages {
        let batch = RecordBatch::try_new(schema.clone(), columns(&rows?)?).map_err(io::Error::other)?;
        writer.write(&batch)?;
    }
    writer.close()?;
    Ok(())
}

fn schema() -> Schema {
    let answers = Field::new("item", DataType::Struct(answer_fields()), false);
    Schema::new(vec![
        required_text("id"),
        Field::new("created_at", time(), false),
        required_text("source"),
        Field::new("judge_version", DataType::Int32, false),
        required_text("state"),
        optional("instructions", DataType::Utf8),
        Field::new("answers", DataType::List(Arc::new(answers)), false),
        optional("model", DataType::Utf8),
        optional("backend", DataType::Utf8),
        optional("latency_ms", DataType::Float64),
        Field::new("credits", DataType::Float64, false),
        optional("request_id", DataType::Utf8),
        required_text("content_hash"),
    ])
}

fn required_text(name: &str) -> Field {
    Field::new(name, DataType::Utf8, false)
}

fn optional(name: &str, of: DataType) -> Field {
    Field::new(name, of, true)
}

fn answer_fields() -> Fields {
    let entry = Fields::from(vec![
        Field::new("key", DataType::Utf8, false),
        Field::new("value", DataType::Float64, true),
    ]);
    let entries = Field::new("key_value", DataType::Struct(entry), false);
    Fields::from(vec![
        Field::new("key", DataType::Utf8, false),
        Field::new("type", DataType::Utf8, false),
        optional("value", DataType::Utf8),
        optional("probability", DataType::Float64),
        optional("probabilities", DataType::Map(Arc::new(entries), false)),
        optional("answer", DataType::Utf8),
        optional("ground_truth", DataType::Utf8),
        optional("labelled_by", DataType::Utf8),
        optional("labelled_at", time()),
    ])
}

fn time() -> DataType {
    DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))
}

fn columns(rows: &[ExportedSample]) -> io::Result<Vec<ArrayRef>> {
    let samples = rows.iter().map(|row| &row.sample);
    let times = samples.clone().map(|sample| sample.created_at.timestamp_micros());
    Ok(vec![
        Arc::new(StringArray::from_iter_values(samples.clone().map(|sample| &sample.id))),
        Arc::new(TimestampMicrosecondArray::from_iter_values(times).with_timezone("UTC")),
        Arc::new(StringArray::from_iter_values(samples.clone().map(|sample| &sample.source))),
        Arc::new(Int32Array::from_iter_values(samples.clone().map(|sample| sample.judge_version))),
        Arc::new(StringArray::from_iter_values(samples.clone().map(|sample| &sample.state))),
        Arc::new(StringArray::from_iter(samples.clone().map(|sample| sample.instructions.as_ref()))),
        answers(rows)?,
        Arc::new(StringArray::from_iter(samples.clone().map(|sample| sample.model.as_ref()))),
        Arc::new(StringArray::from_iter(samples.clone().map(|sample| sample.backend.as_ref()))),
        Arc::new(Float64Array::from_iter(samples.clone().map(|sample| sample.latency_ms))),
        Arc::new(Float64Array::from_iter_values(
            samples.clone().map(|sample| Amount::from_milli(sample.credits).credits()),
        )),
        Arc::new(StringArray::from_iter(samples.clone().map(|sample| sample.request_id.as_ref()))),
        Arc::new(StringArray::from_iter_values(samples.clone().map(|sample| &sample.content_hash))),
    ])
}

fn answers(rows: &[ExportedSample]) -> io::Result<ArrayRef> {
    let item = Field::new("item", DataType::Struct(answer_fields()), false);
    let mut list = ListBuilder::new(answer_builder()).with_field(item);
    for row in rows {
        for answer in &row.answers {
            append(answer, list.values()).ok_or_else(|| io::Error::other("an answer is of another type"))?;
        }
        list.append(true);
    }
    Ok(Arc::new(list.finish()))
}

type Probabilities = MapBuilder<StringBuilder, Float64Builder>;

fn answer_builder() -> StructBuilder {
    let names =
        MapFieldNames { entry: "key_value".to_owned(), key: "key".to_owned(), value: "value".to_owned() };
    let probabilities = Probabilities::new(Some(names), StringBuilder::new(), Float64Builder::new());
    let times = TimestampMicrosecondBuilder::new().with_timezone("UTC");
    StructBuilder::new(
        answer_fields(),
        vec![
            Box::new(StringBuilder::new()),
            Box::new(StringBuilder::new()),
            Box::new(StringBuilder::new()),
            Box::new(Float64Builder::new()),
            Box::new(probabilities),
            Box::new(StringBuilder::new()),
            Box::new(StringBuilder::new()),
            Box::new(StringBuilder::new()),
            Box::new(times),
        ],
    )
}

/// Appends an answer to the columns of [`answer_fields`]; `None` when a column has another type.
fn append(answer: &sample_answer::Model, to: &mut StructBuilder) -> Option<()> {
    let texts = [
        (0, Some(&answer.key)),
        (1, Some(&answer.kind)),
        (2, answer.value.as_ref()),
        (5, answer.answer.as_ref()),
        (6, answer.truth.as_ref()),
        (7, answer.truth_by.as_ref()),
    ];
    for (place, value) in texts {
        to.field_builder::<StringBuilder>(place)?.append_option(value);
    }
    to.field_builder::<Float64Builder>(3)?.append_option(answer.probability);
    let map = to.field_builder::<Probabilities>(4)?;
    let probabilities = answer.probabilities.as_deref();
    let probabilities: Option<Map<String, Value>> =
        probabilities.and_then(|json| serde_json::from_str(json).ok());
    for (value, p) in probabilities.iter().flatten() {
        map.keys().append_value(value);
        map.values().append_option(p.as_f64());
    }
    map.append(probabilities.is_some()).ok()?;
    let at = answer.truth_at.map(|at| at.timestamp_micros());
    to.field_builder::<TimestampMicrosecondBuilder>(8)?.append_option(at);
    to.append(true);
    Some(())
}
