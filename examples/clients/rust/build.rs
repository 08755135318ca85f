//! Generates the messages from `proto/`.

fn main() -> std::io::Result<()> {
    let folder = "../../../proto";
    let file = format!("{folder}/autosim/v1/autosim.proto");
    println!("cargo:rerun-if-changed={folder}");
    prost_build::compile_protos(&[file.as_str()], &[folder])
}
