//! The moderation queue: messages by severity, decided, assigned and summed up by moderators who see nothing else.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{
    PASSWORD, Session, mutation, person,
    sessions::{owner, user_error},
};
use crate::harness::{Account, Db, Server, on_both};

/// A message with its author and its channel.
struct Message(&'static str, &'static str, &'static str);

const MESSAGES: [Message; 5] = [
    Message("good morning everybody, how was your weekend?", "ann", "#general"),
    Message("I will find you and kill you, you worthless piece of trash", "bob", "#general"),
    Message("FREE nitro for everybody, claim it now at https://dlscord-gift.example/free", "eve", "#trade"),
    Message("kys, nobody would miss you", "bob", "#trade"),
    Message("thanks, that solved my problem", "ann", "#help"),
];

const MESSAGE: &str = "id labelled assignedTo { id } claimedBy { id } moderation { moderationId content author \
    channel action threatScore language policy { id } signals { name weight start end } }";

struct Community {
    server: Server,
    account: Account,
    key: String,
}

impl Community {
    /// A community whose log has [`MESSAGES`].
    async fn new(db: &Db) -> Self {
        let server = Server::start(db).await;
        let account = server.account(1_000).await;
        let key = db.scoped_key(&account, "moderate,infer,manage,read").await;
        let us = Self { server, account, key };
        let set = mutation("setModerationLog", "userErrors { message }");
        us.server.ask(&us.key, &set, json!({ "input": { "enabled": true } })).await;
        for Message(content, author, channel) in MESSAGES {
            let body = json!({ "content": content, "author": author, "channel": channel });
            us.server.post("/api/v1/moderate/text").key(&us.key).json(body).send().await.ok();
        }
        us
    }

    async fn moderator(&self) -> (String, Session<'_>) {
        let (id, email) = person(&self.server.db, &self.account, "moderator").await;
        (id, Session::sign_in(&self.server, &email, PASSWORD).await)
    }
}

/// A page of messages by severity.
async fn queue(session: &Session<'_>, arguments: &str) -> Value {
    let query = format!(
        "{{ account {{ moderationLog {{ id samples(order: MOST_SEVERE_FIRST, {arguments}) {{ totalCount \
         nodes {{ {MESSAGE} }} pageInfo {{ hasNextPage endCursor }} }} }} }} }}"
    );
    session.query(&query).await["account"]["moderationLog"].clone()
}

fn contents(queue: &Value) -> Vec<&str> {
    let nodes = queue["samples"]["nodes"].as_array().unwrap();
    nodes.iter().map(|node| node["moderation"]["content"].as_str().unwrap()).collect()
}

async fn the_queue_shows_the_most_severe_messages_first_and_filters_them(db: Db) {
    let us = Community::new(&db).await;
    let (_, moderator) = us.moderator().await;
    let all = queue(&moderator, "first: 10").await;
    let nodes = all["samples"]["nodes"].as_array().unwrap();
    let scores: Vec<f64> =
        nodes.iter().map(|node| node["moderation"]["threatScore"].as_f64().unwrap()).collect();
    assert!(scores.len() == 5 && scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    let mut paged = Vec::new();
    let mut after = String::new();
    loop {
        let page = queue(&moderator, &format!("first: 2{after}")).await;
        paged.extend(contents(&page).into_iter().map(str::to_owned));
        if page["samples"]["pageInfo"]["hasNextPage"] == false {
            break;
        }
        after = format!(", after: {}", page["samples"]["pageInfo"]["endCursor"]);
    }
    assert_eq!(paged, contents(&all));

    let of_bob = queue(&moderator, "moderation: { author: \"bob\" }").await;
    assert_eq!(of_bob["samples"]["totalCount"], 2);
    let in_trade = queue(&moderator, "moderation: { author: \"bob\", channel: \"#trade\" }").await;
    assert_eq!(contents(&in_trade), [MESSAGES[3].0]);
    let harmless = queue(&moderator, "moderation: { actions: [NONE] }").await;
    assert!(contents(&harmless).contains(&MESSAGES[0].0) && !contents(&harmless).contains(&MESSAGES[1].0));
    let threats = queue(&moderator, "moderation: { categories: [\"violence\"] }").await;
    assert_eq!(contents(&threats), [MESSAGES[1].0]);
    let score = scores[1];
    let severe = queue(&moderator, &format!("moderation: {{ minThreatScore: {} }}", score - 1e-6)).await;
    assert_eq!(severe["samples"]["totalCount"], 2);
    let english = queue(&moderator, "moderation: { language: \"en\" }, text: \"WEEKEND\"").await;
    assert_eq!(contents(&english), [MESSAGES[0].0]);

    let threat = nodes.iter().find(|node| node["moderation"]["content"] == MESSAGES[1].0).unwrap();
    let signals = threat["moderation"]["signals"].as_array().unwrap();
    let marked =
        signals.iter().find(|signal| signal["end"].as_u64() > Some(0)).expect("evidence in the text");
    assert!(marked["end"].as_u64().unwrap() <= MESSAGES[1].0.chars().count() as u64);
    let id = &threat["id"];
    let beside = moderator
        .query(&format!(
            "{{ sample(id: {id}) {{ moderation {{ earlierInChannel {{ moderation {{ content }} }} \
             earlierOfAuthor {{ id }} }} }} }}"
        ))
        .await;
    let beside = &beside["sample"]["moderation"];
    assert_eq!(beside["earlierInChannel"], json!([{ "moderation": { "content": MESSAGES[0].0 } }]));
    assert_eq!(beside["earlierOfAuthor"], json!([]));

    for (filter, field) in [
        ("categories: [\"rude\"]", "moderation.categories"),
        ("minThreatScore: -1", "moderation.minThreatScore"),
    ] {
        let query = format!(
            "{{ account {{ moderationLog {{ samples(moderation: {{ {filter} }}) {{ totalCount }} }} }} }}"
        );
        let refused = moderator.send(json!({ "query": query })).await;
        refused.refused("VALIDATION_FAILED");
        assert!(refused.text.contains(field), "{}", refused.text);
    }
}

async fn moderators_decide_assign_and_undo(db: Db) {
    let us = Community::new(&db).await;
    let (me, moderator) = us.moderator().await;
    let open = queue(&moderator, "filter: { labelled: false }").await;
    let first = open["samples"]["nodes"][0].clone();
    let decide = format!(
        "giveModerationFeedback(input: {{ id: {}, action: BAN, categories: {{ harassment: true }}, note: \"third \
         time\" }}) {{ changeId sample {{ labelled history {{ nodes {{ note actor {{ id }} }} }} }} \
         userErrors {{ code }} }}",
        first["moderation"]["moderationId"]
    );
    let decided = moderator.payload(&decide).await;
    let change = &decided["sample"]["history"]["nodes"][0];
    assert_eq!((&change["note"], &change["actor"]["id"]), (&json!("third time"), &json!(me)));
    let left = queue(&moderator, "filter: { labelled: false }").await;
    assert_eq!(left["samples"]["totalCount"], 4);
    let undo = format!(
        "undoReclassification(input: {{ changeId: {} }}) {{ changed userErrors {{ code }} }}",
        decided["changeId"]
    );
    assert_eq!(moderator.payload(&undo).await["changed"], 2);

    // In bulk, by the filter of the queue.
    let log = &open["id"];
    let many = format!(
        "reclassifySamples(input: {{ judgeId: {log}, moderation: {{ author: \"bob\" }}, key: \"action\", value: \
         \"ban\", note: \"both\" }}) {{ changed changeId userErrors {{ code }} }}"
    );
    assert_eq!(moderator.payload(&many).await["changed"], 2);
    let left = queue(&moderator, "filter: { labelled: false }").await;
    assert_eq!(left["samples"]["totalCount"], 3);

    // And by its search.
    let searched = format!(
        "reclassifySamples(input: {{ judgeId: {log}, text: \"NITRO\", key: \"action\", value: \"ban\" }}) {{ \
         changed changeId userErrors {{ code }} }}"
    );
    let searched = moderator.payload(&searched).await;
    assert_eq!(searched["changed"], 1);
    let undo = format!(
        "undoReclassification(input: {{ changeId: {} }}) {{ changed userErrors {{ code }} }}",
        searched["changeId"]
    );
    assert_eq!(moderator.payload(&undo).await["changed"], 1);

    let sample = &left["samples"]["nodes"][0]["id"];
    let assign = format!(
        "assignSamples(input: {{ sampleIds: [{sample}], userId: \"{me}\" }}) {{ samples {{ \
        assignedTo {{ id name }} }} userErrors {{ code }} }}"
    );
    let assigned = moderator.payload(&assign).await;
    assert_eq!(assigned["samples"][0]["assignedTo"]["id"], json!(me));
    let mine = queue(&moderator, &format!("moderation: {{ assignedTo: \"{me}\" }}")).await;
    assert_eq!((&mine["samples"]["totalCount"], &mine["samples"]["nodes"][0]["id"]), (&json!(1), sample));
    let nobody = format!(
        "assignSamples(input: {{ sampleIds: [{sample}] }}) {{ samples {{ assignedTo {{ id }} }} \
         userErrors {{ code }} }}"
    );
    assert_eq!(moderator.payload(&nobody).await["samples"][0]["assignedTo"], Value::Null);
    let stranger = us.server.account(1).await;
    let (stranger, _) = person(&db, &stranger, "analyst").await;
    let input = json!({ "sampleIds": [sample], "userId": stranger });
    let refused = moderator
        .send(json!({
            "query": mutation("assignSamples", "userErrors { field code }"), "variables": { "input": input },
        }))
        .await;
    assert_eq!(user_error(&refused).1, "NOT_FOUND");
}

async fn insights_count_what_the_log_has_seen(db: Db) {
    let us = Community::new(&db).await;
    let (_, moderator) = us.moderator().await;
    let open = queue(&moderator, "first: 10").await;
    let log = &open["id"];
    // A false alarm and a miss.
    for (content, action) in [(MESSAGES[1].0, "none"), (MESSAGES[0].0, "warn")] {
        let nodes = open["samples"]["nodes"].as_array().unwrap();
        let id = &nodes.iter().find(|node| node["moderation"]["content"] == content).unwrap()["id"];
        let decide = format!(
            "reclassifySamples(input: {{ judgeId: {log}, sampleIds: [{id}], key: \"action\", value: \"{action}\" }}) \
             {{ changed userErrors {{ code }} }}"
        );
        assert_eq!(moderator.payload(&decide).await["changed"], 1);
    }
    let seen = moderator
        .query(
            "{ account { moderationInsights(days: 7) { messages daily { date messages none warn timeout ban } \
             harms { category messages } channels { name value messages actedUpon } authors { name messages \
             actedUpon } languages { name messages } policies { name } hours { weekday hour messages } \
             falseAlarms { count of rate low high } misses { count of } domains { term messages } \
             phrases { term } } } }",
        )
        .await;
    let seen = &seen["account"]["moderationInsights"];
    assert_eq!(seen["messages"], 5);
    let days = seen["daily"].as_array().unwrap();
    assert_eq!(days.iter().map(|day| day["messages"].as_u64().unwrap()).sum::<u64>(), 5);
    assert_eq!(seen["authors"][0], json!({ "name": "bob", "messages": 2, "actedUpon": 2 }));
    assert_eq!(seen["channels"].as_array().unwrap().len(), 3);
    let hours = seen["hours"].as_array().unwrap();
    assert_eq!(hours.iter().map(|hour| hour["messages"].as_u64().unwrap()).sum::<u64>(), 5);
    assert!(hours.iter().all(|hour| hour["weekday"].as_u64() < Some(7) && hour["hour"].as_u64() < Some(24)));
    assert_eq!(seen["domains"][0], json!({ "term": "dlscord-gift.example", "messages": 1 }));
    assert_eq!((&seen["falseAlarms"]["count"], &seen["falseAlarms"]["of"]), (&json!(1), &json!(1)));
    assert_eq!((&seen["misses"]["count"], &seen["misses"]["of"]), (&json!(1), &json!(1)));
    assert!(seen["harms"].as_array().unwrap().iter().any(|harm| harm["category"] == "violence"));
    let stranger = us.server.account(1).await;
    let stranger = owner(&us.server, &stranger).await;
    let theirs = stranger.query("{ account { moderationInsights { messages } } }").await;
    assert_eq!(theirs["account"]["moderationInsights"], Value::Null);
}

async fn moderators_see_the_log_and_nothing_else(db: Db) {
    let us = Community::new(&db).await;
    let (_, moderator) = us.moderator().await;
    let boss = owner(&us.server, &us.account).await;
    let judge = boss.created_judge(json!({ "name": "j", "instructions": { "a": ["x", "y"] } })).await;
    for query in [
        "{ account { judges { nodes { id } } } }".to_owned(),
        "{ account { apiKeys { nodes { id } } } }".to_owned(),
        "{ account { ledger { nodes { __typename } } } }".to_owned(),
        "{ account { auditLog { nodes { action } } } }".to_owned(),
        "{ viewer { account { webhookEndpoints { id } } } }".to_owned(),
        "{ a: account { b: judges { nodes { id } } } }".to_owned(),
        format!("{{ judge(id: \"{judge}\") {{ id }} }}"),
        format!("{{ node(id: \"{judge}\") {{ id }} }}"),
        "{ prices { credits } }".to_owned(),
        format!("mutation {{ archiveJudge(input: {{ id: \"{judge}\" }}) {{ userErrors {{ code }} }} }}"),
        "mutation { setModerationLog(input: { enabled: false }) { userErrors { code } } }".to_owned(),
    ] {
        moderator.send(json!({ "query": query })).await.refused("FORBIDDEN");
    }
    for (path, body) in [
        ("/api/v1/moderate/text", json!({ "content": "hi" })),
        ("/api/v1/inference", json!({ "state": "hi", "instructions": { "a": ["x", "y"] } })),
    ] {
        moderator.rest(us.server.post(path)).json(body).send().await.fails(403, "FORBIDDEN");
    }
    for path in ["/api/v1/batches", "/api/v1/account", "/api/v1/judges"] {
        let status = moderator.rest(us.server.get(path)).send().await.status;
        assert!([403, 404, 405].contains(&status), "{path}: {status}");
    }
    // Not even in the payload of the sign-in.
    let (_, email) = person(&db, &us.server.account(1).await, "moderator").await;
    let query = "mutation($input: SignInInput!) { signIn(input: $input) { viewer { role account { name ledger { \
                 nodes { __typename } } } } } }";
    let variables = json!({ "input": { "email": email, "password": PASSWORD } });
    us.server.graphql(query, variables).send().await.refused("FORBIDDEN");
    let viewer =
        moderator.query("{ viewer { role account { name available users { nodes { email } } } } }").await;
    assert_eq!(viewer["viewer"]["role"], "MODERATOR");
}

fn save(name: &str, filter: Value) -> Value {
    let query = mutation("saveView", "view { name filter } userErrors { field code message }");
    json!({ "query": query, "variables": { "input": { "name": name, "filter": filter } } })
}

async fn views_are_kept_for_one_person(db: Db) {
    const VIEWS: &str = "{ viewer { savedViews { name filter } } }";
    let us = Community::new(&db).await;
    let (_, moderator) = us.moderator().await;
    let (_, email) = person(&us.server.db, &us.account, "editor").await;
    let other = Session::sign_in(&us.server, &email, PASSWORD).await;
    for (name, filter) in [
        ("Scams", json!({ "categories": "scam" })),
        ("Bans", json!({ "actions": "ban", "days": 7 })),
        (" Scams ", json!({ "categories": "scam,spam" })),
    ] {
        let saved = moderator.send(save(name, filter.clone())).await.data()["payload"].clone();
        assert_eq!((&saved["view"]["filter"], &saved["userErrors"]), (&filter, &json!([])));
    }
    let kept = moderator.query(VIEWS).await["viewer"]["savedViews"].clone();
    let expected = json!([
        { "name": "Bans", "filter": { "actions": "ban", "days": 7 } },
        { "name": "Scams", "filter": { "categories": "scam,spam" } },
    ]);
    assert_eq!(kept, expected);
    assert_eq!(other.query(VIEWS).await["viewer"]["savedViews"], json!([]));
    for (name, filter, field) in [
        ("", json!({}), "name"),
        (&*"x".repeat(61), json!({}), "name"),
        ("a", json!([]), "filter"),
        ("a", json!({ "text": "x".repeat(5_000) }), "filter"),
        ("a", json!({ "text": "\0" }), "filter"),
    ] {
        assert_eq!(user_error(&moderator.send(save(name, filter)).await), (Some(field), "VALIDATION_FAILED"));
    }
    for number in 0..20 {
        moderator.send(save(&format!("view {number}"), json!({}))).await.data();
    }
    let at_once = (20..40).map(|number| moderator.send(save(&format!("view {number}"), json!({}))));
    let saved = join_all(at_once).await;
    let saved = saved.iter().filter(|answer| answer.body["data"]["payload"]["userErrors"] == json!([]));
    assert_eq!(saved.count(), 8);
    assert_eq!(user_error(&moderator.send(save("one more", json!({}))).await).1, "CONFLICT");
    let replaced = moderator.send(save("Scams", json!({}))).await.data();
    assert_eq!(replaced["payload"]["userErrors"], json!([]), "one that is there can be replaced");
    let key = us.server.post("/graphql").key(&us.key).json(save("a key's", json!({}))).send().await;
    key.refused("FORBIDDEN");
    let remove = "removeView(input: { name: \"Scams\" }) { removed userErrors { code } }";
    assert_eq!(moderator.payload(remove).await["removed"], true);
    assert_eq!(moderator.payload(remove).await["removed"], false);
}

on_both!(
    views_are_kept_for_one_person,
    the_queue_shows_the_most_severe_messages_first_and_filters_them,
    moderators_decide_assign_and_undo,
    insights_count_what_the_log_has_seen,
    moderators_see_the_log_and_nothing_else,
);
