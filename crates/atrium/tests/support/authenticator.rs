//! A passkey authenticator in software: makes keys and signs challenges as a phone would, so that the
//! server's side can be tested on both databases, including faults. The browser tests use Chromium's own.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use p256::ecdsa::signature::Signer;
use p256::ecdsa::{Signature, SigningKey};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

const PRESENT_AND_VERIFIED: u8 = 0x05;
const WITH_KEY: u8 = 0x40;

pub struct Authenticator {
    key: SigningKey,
    pub credential_id: Vec<u8>,
    user_handle: String,
    pub counter: u32,
    pub origin: String,
    pub flags: u8,
}

impl Authenticator {
    /// `origin` is the page's origin, such as http://localhost:8080. `seed` makes keys differ.
    pub fn new(origin: &str, seed: u8) -> Self {
        Self {
            key: SigningKey::from_slice(&[seed; 32]).unwrap(),
            credential_id: vec![seed; 24],
            user_handle: String::new(),
            counter: 0,
            origin: origin.to_owned(),
            flags: PRESENT_AND_VERIFIED,
        }
    }

    /// What `navigator.credentials.create` would give for these options.
    pub fn create(&mut self, options: &Value) -> Value {
        self.user_handle = options["user"]["id"].as_str().unwrap().to_owned();
        let rp_id = options["rp"]["id"].as_str().unwrap();
        let point = self.key.verifying_key().to_sec1_point(false);
        let mut data = self.data(rp_id, self.flags | WITH_KEY);
        data.extend([0; 16]);
        data.extend(u16::try_from(self.credential_id.len()).unwrap().to_be_bytes());
        data.extend(&self.credential_id);
        // COSE: {1: 2, 3: -7, -1: 1, -2: x, -3: y}
        data.extend([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]);
        data.extend(point.x().unwrap());
        data.extend([0x22, 0x58, 0x20]);
        data.extend(point.y().unwrap());
        // CBOR: {"fmt": "none", "attStmt": {}, "authData": data}
        let mut object = vec![0xa3, 0x63];
        object.extend(b"fmt");
        object.push(0x64);
        object.extend(b"none");
        object.push(0x67);
        object.extend(b"attStmt");
        object.extend([0xa0, 0x68]);
        object.extend(b"authData");
        object.push(0x59);
        object.extend(u16::try_from(data.len()).unwrap().to_be_bytes());
        object.extend(data);
        let client = self.client_data("webauthn.create", options);
        self.credential(json!({
            "attestationObject": encode(&object), "clientDataJSON": encode(&client),
        }))
    }

    /// What `navigator.credentials.get` would give for these options.
    pub fn get(&mut self, options: &Value) -> Value {
        self.counter += 1;
        let data = self.data(options["rpId"].as_str().unwrap(), self.flags);
        let client = self.client_data("webauthn.get", options);
        let signed = [data.as_slice(), &Sha256::digest(&client)].concat();
        let signature: Signature = self.key.sign(&signed);
        self.credential(json!({
            "authenticatorData": encode(&data),
            "clientDataJSON": encode(&client),
            "signature": encode(signature.to_der().as_bytes()),
            "userHandle": self.user_handle,
        }))
    }

    fn data(&self, rp_id: &str, flags: u8) -> Vec<u8> {
        let mut data = Sha256::digest(rp_id.as_bytes()).to_vec();
        data.push(flags);
        data.extend(self.counter.to_be_bytes());
        data
    }

    fn client_data(&self, kind: &str, options: &Value) -> Vec<u8> {
        let challenge = &options["challenge"];
        let data = json!({ "type": kind, "challenge": challenge, "origin": self.origin });
        data.to_string().into_bytes()
    }

    fn credential(&self, response: Value) -> Value {
        let id = encode(&self.credential_id);
        json!({
            "id": id, "rawId": id, "type": "public-key", "response": response,
            "clientExtensionResults": {},
        })
    }
}

fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
