//! Reads a schema into questions and the shape of the object that they fill.

use serde_json::{Map, Value};

use super::{
    known_values::{Descriptions, KnownValue, KnownValues},
    levels::levels,
    node::{Document, Node, types},
    shape::{Member, NamedValue, Part, SelectedValue, Selection, Shape},
    words,
};
use crate::{
    Result,
    foundation::json_schema::{child, place},
    operations::inference::instructions::{InstructionLimits, choices_of, levels_of},
};
use ports::decision::{Choice, Question, QuestionKind};

/// Reads a schema.
pub(super) struct SchemaReader<'a> {
    document: Document<'a>,
    limits: InstructionLimits,
    /// The questions so far.
    questions: Vec<Question>,
}

/// The members of an object that answers a schema, and the questions that fill them.
pub(super) struct ReadQuestions {
    pub(super) members: Vec<Member>,
    pub(super) questions: Vec<Question>,
}

impl<'a> SchemaReader<'a> {
    pub(super) fn new(field: &'a str, schema: &'a Value, limits: InstructionLimits) -> Self {
        Self { document: Document { field, root: schema }, limits, questions: Vec::new() }
    }

    /// # Errors
    /// `VALIDATION_FAILED` naming the pointer of what is no question.
    pub(super) fn read(mut self) -> Result<ReadQuestions> {
        let root = self.document.root()?;
        if !is_object(&root) {
            return Err(self.document.invalid(&root.pointer, "must be a schema of an object"));
        }
        let members = self.members(&root, "")?;
        Ok(ReadQuestions { members, questions: self.questions })
    }

    fn part(&mut self, node: &Node<'a>, key: &str) -> Result<Part> {
        if let Some(known) = KnownValues::of(self.document, node)? {
            let nullable = known.nullable;
            return Ok(Part { shape: self.choice(node, key, known.values)?, nullable });
        }
        let types = types(node.schema);
        let nullable = node.nullable || types.contains(&"null");
        let types: Vec<&str> = types.into_iter().filter(|name| *name != "null").collect();
        let shape = match types.as_slice() {
            ["boolean"] => self.boolean(node, key)?,
            ["integer"] => self.level(node, key)?,
            ["array"] => Shape::Selection(self.selection(node, key)?),
            _ if is_object(node) => Shape::Object(self.members(node, &format!("{key}."))?),
            [] if nullable => Shape::Fixed(Value::Null),
            _ => {
                let message = "must be an enum, a boolean, an integer from a minimum to a maximum, an array of an \
                               enum, or an object of these";
                return Err(self.document.invalid(&node.pointer, message));
            }
        };
        Ok(Part { shape, nullable })
    }

    fn members(&mut self, node: &Node<'a>, prefix: &str) -> Result<Vec<Member>> {
        let allowed = ["type", "properties", "required", "additionalProperties", "unevaluatedProperties"];
        self.document.only(node, &allowed)?;
        let none = Map::new();
        let properties = node.schema.get("properties").and_then(Value::as_object);
        let required =
            node.schema.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for (index, name) in required.iter().enumerate() {
            if !properties.unwrap_or(&none).contains_key(name.as_str().unwrap_or_default()) {
                let at = child(&child(&node.pointer, "required"), &index.to_string());
                return Err(self.document.invalid(&at, "must be one of the `properties`"));
            }
        }
        let at = child(&node.pointer, "properties");
        let mut members = Vec::new();
        for (name, schema) in properties.into_iter().flatten() {
            let pointer = child(&at, name);
            if name.trim().is_empty() {
                return Err(self.document.invalid(&pointer, "must have a name that is not blank"));
            }
            let node = self.document.node(schema, pointer)?;
            let part = self.part(&node, &format!("{prefix}{name}"))?;
            members.push(Member {
                name: name.clone(),
                required: required.iter().any(|one| one == name),
                part,
            });
        }
        Ok(members)
    }

    fn choice(&mut self, node: &Node<'a>, key: &str, values: Vec<KnownValue>) -> Result<Shape> {
        match values.as_slice() {
            [] => return Ok(Shape::Fixed(Value::Null)),
            [only] => return Ok(Shape::Fixed(only.value.clone())),
            [one, other]
                if one.value.is_boolean() && other.value.is_boolean() && one.value != other.value =>
            {
                let yes = if one.value == true { one } else { other };
                let no = if one.value == true { other } else { one };
                let kind = QuestionKind::Noul { yes: yes.description.clone(), no: no.description.clone() };
                self.ask(node, key, kind);
                return Ok(Shape::Boolean { key: key.to_owned() });
            }
            _ => {}
        }
        let choices = values
            .iter()
            .map(|known| Choice { value: known.name.clone(), description: known.description.clone() });
        let kind = choices_of(&place(self.document.field, &node.pointer), choices.collect(), self.limits)?;
        self.ask(node, key, kind);
        let options = values.into_iter().map(|known| NamedValue { name: known.name, value: known.value });
        Ok(Shape::Choice { key: key.to_owned(), options: options.collect() })
    }

    fn boolean(&mut self, node: &Node<'a>, key: &str) -> Result<Shape> {
        self.document.only(node, &["type"])?;
        let descriptions = Descriptions::of(self.document, node)?;
        let kind =
            QuestionKind::Noul { yes: descriptions.by_name("true"), no: descriptions.by_name("false") };
        self.ask(node, key, kind);
        Ok(Shape::Boolean { key: key.to_owned() })
    }

    fn level(&mut self, node: &Node<'a>, key: &str) -> Result<Shape> {
        let numbers = levels(self.document, node, self.limits.levels.1)?;
        if let [only] = numbers.as_slice() {
            return Ok(Shape::Fixed((*only).into()));
        }
        let descriptions = Descriptions::of(self.document, node)?;
        let words = numbers.iter().enumerate().map(|(index, number)| {
            let number = number.to_string();
            descriptions.get(index, &number).map_or(number, str::to_owned)
        });
        let kind = levels_of(&place(self.document.field, &node.pointer), words.collect(), self.limits)?;
        self.ask(node, key, kind);
        Ok(Shape::Level { key: key.to_owned(), numbers })
    }

    /// An array of an enum: one yes/no question for each of its values.
    fn selection(&mut self, node: &Node<'a>, key: &str) -> Result<Selection> {
        self.document.only(node, &["type", "items", "minItems", "maxItems", "uniqueItems"])?;
        let at = child(&node.pointer, "items");
        let items = match node.schema.get("items") {
            Some(items) => self.document.node(items, at.clone())?,
            None => return Err(self.document.invalid(&node.pointer, "must have `items` with an enum")),
        };
        let known = KnownValues::of(self.document, &items)?.filter(|known| !known.nullable);
        let Some(KnownValues { values, .. }) = known else {
            return Err(self.document.invalid(&items.pointer, "must be an enum without null"));
        };
        let text = words::question(node, key);
        let most = bound(node.schema, "maxItems").unwrap_or(values.len());
        let least = bound(node.schema, "minItems").unwrap_or(0);
        if least > most.min(values.len()) {
            let message = format!("must be at most {}, the number of values", most.min(values.len()));
            return Err(self.document.invalid(&child(&node.pointer, "minItems"), &message));
        }
        let mut options = Vec::with_capacity(values.len());
        for KnownValue { value, name, description } in values {
            let key = format!("{key}.{name}");
            let instructions = words::selects(&text, &name).into();
            let kind = QuestionKind::Noul { yes: description, no: None };
            self.questions.push(Question { key: key.clone(), instructions, kind });
            options.push(SelectedValue { key, value });
        }
        Ok(Selection { options, least, most })
    }

    fn ask(&mut self, node: &Node<'_>, key: &str, kind: QuestionKind) {
        let instructions = words::question(node, key).into();
        self.questions.push(Question { key: key.to_owned(), instructions, kind });
    }
}

/// Whether a subschema describes an object.
fn is_object(node: &Node<'_>) -> bool {
    let types = types(node.schema);
    let may_be = types.is_empty() && node.schema.contains_key("properties");
    may_be || types.contains(&"object") && types.iter().all(|name| ["object", "null"].contains(name))
}

fn bound(schema: &Map<String, Value>, name: &str) -> Option<usize> {
    schema.get(name).and_then(Value::as_f64).map(|bound| bound as usize)
}
