//! Has the crate compiled again when the dashboard was built. It builds nothing itself: without Node the folder is
//! empty.

fn main() {
    println!("cargo::rerun-if-changed=../dashboard/dist");
}
