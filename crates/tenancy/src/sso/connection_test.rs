//! "Test connection": goes as far toward a sign-in as is possible without a person, and says where it
//! ended. Never shows what a provider answers, only our own code for it.

use axum::extract::State;
use openidconnect::core::CoreErrorResponseType;
use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::ToSchema;

use super::{settings, token};
use crate::access::InOrg;
use crate::session::RecentlySignedIn;
use crate::sso_provider::discovery::{Document, Endpoints, Flaw, Keys, can_sign};
use crate::sso_provider::network::{self, ProviderClient, Reason};
use crate::state::Tenancy;
use crate::store::sso::{self as store, SsoRow};
use crate::throttle;
use atrium_core::config::SsoSettings;
use atrium_core::error::{Code, Fault, Result};
use atrium_core::http::json::{Data, Json};
use atrium_core::outbound::web::Answer;
use atrium_core::permissions::OrgSsoManage;
use atrium_core::text::Checks;
use atrium_core::types::Id;

/// How many characters of a different issuer are shown.
const SHOWN: usize = 200;

#[derive(Deserialize, ToSchema)]
pub struct SsoTest {
    /// Fields left out are taken from the settings.
    issuer: Option<String>,
    client_id: Option<String>,
    /// The stored secret is only used for the stored issuer.
    #[schema(format = "password")]
    client_secret: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct SsoTestView {
    ok: bool,
    /// In the order they are tried; steps after a failed one are skipped.
    steps: Vec<TestStep>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TestStep {
    step: Step,
    state: StepState,
    /// Why it failed.
    code: Option<TestCode>,
    /// A status, or the issuer that was found.
    detail: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// The name resolves, the server answers, and the certificate is trusted.
    Address,
    /// The discovery document exists and can be read.
    Discovery,
    /// It names exactly the same issuer.
    Issuer,
    /// It names all required endpoints, as secure as the issuer's.
    Endpoints,
    /// It offers the code flow and a signature algorithm that we accept.
    Features,
    /// Its keys can be read.
    Keys,
    /// It accepts the client id and the secret.
    Client,
}

impl Step {
    const ALL: [Self; 7] = [
        Self::Address,
        Self::Discovery,
        Self::Issuer,
        Self::Endpoints,
        Self::Features,
        Self::Keys,
        Self::Client,
    ];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    Ok,
    Failed,
    Skipped,
}

/// Why a step failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TestCode {
    NameNotFound,
    AddressForbidden,
    Refused,
    Timeout,
    Tls,
    HttpStatus,
    Redirected,
    NotJson,
    TooLarge,
    IssuerDiffers,
    EndpointMissing,
    EndpointInsecure,
    NoCodeFlow,
    NoAlgorithm,
    NoKeys,
    ClientRefused,
    Unexpected,
}

/// A step that failed.
struct Failed {
    step: Step,
    code: TestCode,
    detail: Option<String>,
}

impl Failed {
    fn at(step: Step, code: TestCode) -> Self {
        Self { step, code, detail: None }
    }

    fn with(step: Step, code: TestCode, detail: impl ToString) -> Self {
        Self { step, code, detail: Some(detail.to_string().chars().take(SHOWN).collect()) }
    }
}

/// Tests a provider, as stored or as it is about to be.
#[utoipa::path(
    post,
    path = "/api/v1/orgs/{id}/sso/test",
    operation_id = "sso_test",
    tag = "organization",
    security(("session" = [])),
    params(("id" = Id, Path)),
    request_body = SsoTest,
    responses((status = 200, body = Data<SsoTestView>), (status = 429))
)]
pub async fn sso_test(
    State(atrium): State<Tenancy>,
    org: InOrg<OrgSsoManage>,
    _: RecentlySignedIn,
    Json(input): Json<SsoTest>,
) -> Result<Data<SsoTestView>> {
    let stored = store::of_org(&mut *atrium.db.read().await?, org.id()).await?;
    let target = target(&atrium, stored, input)?;
    throttle::count_probe(&atrium, org.user_id()).await?;
    let outcome = try_out(&atrium, &target).await;
    Ok(Data(view(outcome)))
}

/// The provider to test.
struct Target {
    issuer: String,
    url: Url,
    client_id: String,
    /// None if there is none for this issuer: the last step is then skipped.
    client_secret: Option<String>,
}

fn target(atrium: &Tenancy, stored: Option<SsoRow>, input: SsoTest) -> Result<Target> {
    let given = |text: Option<String>| {
        text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    };
    let mut checks = Checks::default();
    let issuer = given(input.issuer).or_else(|| stored.as_ref().map(|row| row.issuer.clone()));
    let client_id =
        given(input.client_id).or_else(|| stored.as_ref().map(|row| row.client_id.clone()));
    let url = issuer.as_deref().and_then(|text| network::issuer(text, &atrium.settings.sso));
    match (&issuer, &url) {
        (None, _) => checks.fail(Fault::new(Code::Required).on("issuer")),
        (Some(_), None) => checks.fail(Fault::new(Code::BadIssuer).on("issuer")),
        _ => {}
    }
    let client_id =
        checks.name_up_to("client_id", &client_id.unwrap_or_default(), settings::CLIENT_ID_MAX);
    let given = input.client_secret.filter(|secret| !secret.is_empty());
    if let Some(secret) = &given {
        checks.name_up_to("client_secret", secret, settings::SECRET_MAX);
    }
    checks.finish()?;
    let (issuer, url) = (issuer.unwrap_or_default(), url.ok_or(Code::BadIssuer)?);
    let own = stored.filter(|row| row.issuer == issuer);
    let client_secret = match (given, own) {
        (Some(secret), _) => Some(secret),
        (None, Some(row)) => Some(settings::open_secret(atrium, &row)?),
        (None, None) => None,
    };
    Ok(Target { issuer, url, client_id, client_secret })
}

/// Returns the step that was skipped, if all others succeeded.
async fn try_out(atrium: &Tenancy, target: &Target) -> Result<Option<Step>, Failed> {
    let (outside, rules) = (&atrium.sso.client, &atrium.settings.sso);
    let document = document(outside, target).await?;
    if document.issuer != target.issuer {
        return Err(Failed::with(Step::Issuer, TestCode::IssuerDiffers, &document.issuer));
    }
    let endpoints = endpoints(&document, target, rules)?;
    let algorithms = document.algorithms().map_err(|flaw| flawed(Step::Features, flaw))?;
    let keys: Keys = parsed(Step::Keys, outside.get(endpoints.keys.clone()).await)?;
    if !can_sign(&keys, &algorithms) {
        return Err(Failed::at(Step::Keys, TestCode::NoKeys));
    }
    let Some(secret) = &target.client_secret else { return Ok(Some(Step::Client)) };
    client(atrium, &document, endpoints, target, secret).await?;
    Ok(None)
}

async fn document(outside: &ProviderClient, target: &Target) -> Result<Document, Failed> {
    let missing = || Failed::at(Step::Discovery, TestCode::Unexpected);
    let address = Document::address(&target.issuer).ok_or_else(missing)?;
    let answer = outside.get(address).await;
    parsed(Step::Discovery, answer)
}

/// If a call fails before anything was received, the address is to blame.
fn parsed<T: serde::de::DeserializeOwned>(
    step: Step,
    answer: Result<Answer, Reason>,
) -> Result<T, Failed> {
    let answer = answer.map_err(|reason| unreached(step, reason))?;
    let status = answer.status;
    if status.is_redirection() {
        return Err(Failed::with(step, TestCode::Redirected, status.as_u16()));
    }
    if !status.is_success() {
        return Err(Failed::with(step, TestCode::HttpStatus, status.as_u16()));
    }
    answer.json().ok_or_else(|| Failed::at(step, TestCode::NotJson))
}

fn unreached(step: Step, reason: Reason) -> Failed {
    let first = if step == Step::Discovery { Step::Address } else { step };
    match reason {
        Reason::NameUnknown => Failed::at(first, TestCode::NameNotFound),
        Reason::Forbidden => Failed::at(first, TestCode::AddressForbidden),
        Reason::Refused => Failed::at(first, TestCode::Refused),
        Reason::ConnectTimeout => Failed::at(first, TestCode::Timeout),
        Reason::Tls => Failed::at(first, TestCode::Tls),
        Reason::Timeout => Failed::at(step, TestCode::Timeout),
        Reason::TooLarge => Failed::at(step, TestCode::TooLarge),
        Reason::Broken => Failed::at(step, TestCode::Unexpected),
        Reason::Unexpected(status) => Failed::with(step, TestCode::HttpStatus, status),
    }
}

fn endpoints(
    document: &Document,
    target: &Target,
    rules: &SsoSettings,
) -> Result<Endpoints, Failed> {
    document.endpoints(&target.url, rules).map_err(|flaw| flawed(Step::Endpoints, flaw))
}

fn flawed(step: Step, flaw: Flaw) -> Failed {
    Failed::at(
        step,
        match flaw {
            Flaw::EndpointMissing => TestCode::EndpointMissing,
            Flaw::EndpointInsecure => TestCode::EndpointInsecure,
            Flaw::NoCodeFlow => TestCode::NoCodeFlow,
            Flaw::NoAlgorithm => TestCode::NoAlgorithm,
        },
    )
}

/// Requests tokens with a made-up code: a provider that refuses the code has accepted the client.
async fn client(
    atrium: &Tenancy,
    document: &Document,
    endpoints: Endpoints,
    target: &Target,
    secret: &str,
) -> Result<(), Failed> {
    let endpoint = token::TokenEndpoint {
        token: &endpoints.token,
        secret_in_body: document.wants_secret_in_body(),
        client_id: &target.client_id,
        client_secret: secret,
    };
    match endpoint.probe_with_fake_code(atrium).await {
        Ok(CoreErrorResponseType::InvalidGrant) => Ok(()),
        Ok(CoreErrorResponseType::InvalidClient | CoreErrorResponseType::UnauthorizedClient) => {
            Err(Failed::at(Step::Client, TestCode::ClientRefused))
        }
        Ok(_) => Err(Failed::at(Step::Client, TestCode::Unexpected)),
        Err(Some(reason)) => Err(unreached(Step::Client, reason)),
        Err(None) => Err(Failed::at(Step::Client, TestCode::Unexpected)),
    }
}

fn view(outcome: Result<Option<Step>, Failed>) -> SsoTestView {
    let steps = Step::ALL.map(|step| {
        let plain = |state| TestStep { step, state, code: None, detail: None };
        match &outcome {
            Ok(left_out) if *left_out == Some(step) => plain(StepState::Skipped),
            Ok(_) => plain(StepState::Ok),
            Err(failed) if failed.step == step => TestStep {
                step,
                state: StepState::Failed,
                code: Some(failed.code),
                detail: failed.detail.clone(),
            },
            Err(failed) if (step as usize) < failed.step as usize => plain(StepState::Ok),
            Err(_) => plain(StepState::Skipped),
        }
    });
    SsoTestView { ok: matches!(outcome, Ok(None)), steps: steps.into() }
}
