//! The memory of the process under hostile and heavy requests.

use std::sync::Arc;

use tokio::task::JoinSet;

use crate::harness::{
    Db, Server, inv, on_sqlite,
    picture::{fixture, gradient, noise, plain_png},
};

const MIB: usize = 1 << 20;

/// Sends each picture once, `at_once` at a time; returns how many were moderated.
async fn send_all(server: &Arc<Server>, key: &str, pictures: Vec<Arc<Vec<u8>>>, at_once: usize) -> usize {
    let mut tasks = JoinSet::new();
    let mut statuses = Vec::new();
    for picture in pictures {
        if tasks.len() == at_once {
            statuses.push(tasks.join_next().await.expect("a pending task").expect("no panic"));
        }
        let server = server.clone();
        let key = key.to_owned();
        tasks.spawn(async move { server.upload(&key, &picture).send().await.status });
    }
    statuses.extend(tasks.join_all().await);
    assert!(statuses.iter().all(|status| [200, 413, 422].contains(status)), "{statuses:?}");
    statuses.iter().filter(|status| **status == 200).count()
}

async fn hostile_pictures_do_not_grow_the_memory(db: Db) {
    let server = Arc::new(Server::start(&db).await);
    let account = server.account(1_000).await;
    let whole = noise(1500, 1000, 80);
    let empty = fixture("30000.png");
    let cut = whole[..whole.len() / 2].to_vec();
    let again = fixture("bombs.png");
    // Each row has a few bytes: 36 megapixels in a small file.
    let bomb = plain_png(6000, 6000);
    assert!(bomb.len() < MIB, "{}", bomb.len());
    let [empty, cut, bombs, bomb] = [empty, cut, again, bomb].map(Arc::new);
    let most = Arc::new(vec![0; 10 * MIB]);
    let over = Arc::new(vec![0; 11 * MIB]);
    let cheap = (0..20).flat_map(|_| [empty.clone(), cut.clone(), bombs.clone()]);
    let large = (0..5).flat_map(|_| [most.clone(), over.clone()]);
    let round: Vec<_> = cheap.chain(large).chain([bomb.clone(), bomb.clone()]).collect();
    let (idle, _) = server.memory();
    let mut paid = send_all(&server, &account.key, round.clone(), 8).await;
    let (before, _) = server.memory();
    for _ in 0..4 {
        paid += send_all(&server, &account.key, round.clone(), 8).await;
    }
    let (after, peak) = server.memory();
    assert!(after < before + 150, "{before} MiB before and {after} MiB after 280 hostile pictures");
    assert!(peak < idle + 450, "{idle} MiB when idle, peak {peak} MiB");
    // Bombs are valid pictures, and of one that is cut off what is there is judged.
    assert_eq!(paid, 5 * (2 + 40));
    assert_eq!(inv::charges(&db, &account.id).await.len(), paid);
}

async fn sixteen_large_pictures_at_once_are_moderated_in_bounded_memory(db: Db) {
    let server = Arc::new(Server::start(&db).await);
    let account = server.account(100).await;
    let small = Arc::new(gradient(4000, 3000));
    let large = Arc::new(noise(4000, 3000, 40));
    assert!(
        small.len() < 2 * MIB && (7 * MIB..10 * MIB).contains(&large.len()),
        "{} {}",
        small.len(),
        large.len()
    );
    let pictures = (0..8).flat_map(|_| [small.clone(), large.clone()]).collect();
    let (idle, _) = server.memory();
    assert_eq!(send_all(&server, &account.key, pictures, 16).await, 16);
    let (_, peak) = server.memory();
    // Each core processes one picture at a time; two cores need 320 MiB.
    let cores = std::thread::available_parallelism().map_or(2, |cores| cores.get() as u64).max(2);
    assert!(peak < idle + 200 + 60 * cores, "{idle} MiB when idle, peak {peak} MiB on {cores} cores");
    assert_eq!(inv::charges(&db, &account.id).await.len(), 16);
}

on_sqlite!(
    hostile_pictures_do_not_grow_the_memory,
    sixteen_large_pictures_at_once_are_moderated_in_bounded_memory,
);
