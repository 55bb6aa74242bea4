/**
 * An organization's OpenID provider, like Okta, Entra ID or Keycloak: `oidc-provider`, a certified
 * implementation, with a sign-in page that believes every address. It behaves correctly unless the
 * address asks for a fault (faults.mjs). Following the standard, only userinfo returns the email
 * address; a switch also puts it into the ID token, as many providers do.
 */
import { createHash, generateKeyPair, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { counter, isCallback, readBody, serve } from './control.mjs'
import { faultsOf, FAULTS, spoil } from './faults.mjs'
import { escape, page, refusal } from './page.mjs'
import { memory } from './memory.mjs'

export const CLIENT = { id: 'atrium', secret: 'atrium-secret' }

// It warns at every start that it prefers a newer Node, but works.
const { warn } = console
console.warn = () => {}
const { Provider } = await import('oidc-provider')
console.warn = warn

export async function startOidc({ port } = {}) {
  const asked = counter()
  const adapter = memory()
  const addresses = new Map()
  const cookieKey = randomBytes(32).toString('hex')
  const names = new Map()
  const state = { auto: null, emailInIdToken: false }
  let key
  let provider

  const server = await serve({
    port,
    answer: (request, response) => {
      const [, uid, cancel] = /^\/interaction\/([\w-]+)(\/cancel)?$/.exec(path(request)) ?? []
      return uid ? signIn(uid, !!cancel, request, response) : provider.callback()(request, response)
    },
    seen: () => ({ ...asked.counts }),
    reset() {
      asked.clear()
      names.clear()
      Object.assign(state, { auto: null, emailInIdToken: false })
    },
    switches: {
      auto: ({ email }) => void (state.auto = email ?? null),
      name: ({ email, name }) => void names.set(email, name),
      email_in_id_token: ({ on }) => void (state.emailInIdToken = on),
      rotate: build,
    },
  })

  /**
   * A provider's keys are fixed at creation, so rotating them means a new provider at the same
   * address.
   */
  async function build() {
    key = await newKey()
    provider = new Provider(server.url, configuration())
    provider.Client.prototype.redirectUriAllowed = (uri) => isCallback(uri, 'sso')
    provider.use(tamper)
    return { kid: key.kid }
  }

  function configuration() {
    const forever = 3600
    return {
      adapter,
      jwks: { keys: [key] },
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: ['http://127.0.0.1/api/v1/sso/callback'],
        },
      ],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      clientAuthMethods: ['client_secret_basic', 'client_secret_post'],
      responseTypes: ['code'],
      scopes: ['openid'],
      // `claimsOf` decides the ID token's claims, because a switch changes them.
      conformIdTokenClaims: false,
      cookies: { keys: [cookieKey] },
      features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
      findAccount: (_, sub) => ({ accountId: sub, claims: (use) => claimsOf(sub, use) }),
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      loadExistingGrant: grantEverything,
      pkce: { required: () => true },
      renderError: (ctx, out) => refusal(ctx.res, 'The request was refused', JSON.stringify(out)),
      expiresWithSession: () => false,
      ttl: {
        AccessToken: forever,
        AuthorizationCode: 60,
        Grant: forever,
        IdToken: forever,
        Interaction: forever,
        Session: forever,
      },
    }
  }

  async function grantEverything({ oidc }) {
    const grant = new oidc.provider.Grant({
      clientId: oidc.client.clientId,
      accountId: oidc.session.accountId,
    })
    grant.addOIDCScope('openid email profile')
    await grant.save()
    return grant
  }

  function claimsOf(sub, use) {
    const email = addresses.get(sub)
    const faults = faultsOf(email)
    const known = { sub, name: names.get(email) ?? nameOf(email) }
    if (!faults.has('noemail')) {
      Object.assign(known, { email, email_verified: !faults.has('unverified') })
    }
    return use === 'id_token' && !state.emailInIdToken ? { sub } : known
  }

  /** The sign-in page, or the end of sign-in without a page if a test asked for that. */
  async function signIn(uid, cancelled, request, response) {
    const finish = (result) => provider.interactionFinished(request, response, result)
    const refuse = () => finish({ error: 'access_denied', error_description: 'refused' })
    const { login_hint: hint = '' } = (await provider.interactionDetails(request, response)).params
    let email = state.auto === 'login_hint' ? hint : state.auto
    if (request.method === 'POST') {
      email = new URLSearchParams(await readBody(request)).get('email')
    }
    if (cancelled || email === 'refuse') return refuse()
    if (!email?.includes('@')) return signInPage(response, uid, email ?? hint)
    const sub = subjectOf(email)
    addresses.set(sub, email)
    return finish({ login: { accountId: sub } })
  }

  async function tamper(ctx, next) {
    await next()
    const route = ctx.oidc?.route
    if (!route) return
    asked.count(route)
    const { Account, Session } = ctx.oidc.entities
    const email = addresses.get(Account?.accountId ?? Session?.accountId)
    const faults = faultsOf(email ?? '')
    if (route === 'token' && ctx.body?.id_token) {
      if (faults.has('replay')) {
        ctx.status = 400
        ctx.body = { error: 'invalid_grant', error_description: 'grant request is invalid' }
      } else {
        ctx.body.id_token = spoil(ctx.body.id_token, faults, key)
      }
    }
    if (route === 'resume') {
      forget(ctx)
      if (faults.has('wrongiss')) ctx.set('location', otherIssuer(ctx.response.get('location')))
    }
  }

  await build()
  return server
}

function signInPage(response, uid, hint) {
  const faults = Object.entries(FAULTS).map(
    ([tag, text]) => `<li><code>+${tag}</code> ${escape(text)}</li>`,
  )
  page(
    response,
    'Sign in to your company',
    `<form method="post" action="/interaction/${uid}">
<label for="email">Work address</label>
<input id="email" name="email" type="email" required autofocus value="${escape(hint)}">
<button>Sign in</button>
</form>
<p><a href="/interaction/${uid}/cancel">Cancel</a></p>
<details><summary>Faults to ask for</summary>
<p>A tag in the address, as in <code>anna+badsig@acme.test</code>, makes this provider misbehave:</p>
<ul>${faults.join('\n')}</ul></details>`,
  )
}

/** Forgets who signed in, so that each sign-in can be a different person. */
function forget(ctx) {
  const cookies = [ctx.response.get('set-cookie')].flat()
  ctx.set(
    'set-cookie',
    cookies.filter((cookie) => !cookie.startsWith('_session')),
  )
}

function otherIssuer(location) {
  const url = new URL(location)
  url.searchParams.set('iss', 'https://issuer.invalid')
  return url.href
}

function subjectOf(email) {
  return createHash('sha256').update(email.toLowerCase()).digest('hex').slice(0, 32)
}

/** anna+badsig@acme.test is Anna. */
function nameOf(email) {
  const [first] = email.split(/[+@]/)
  return first.charAt(0).toUpperCase() + first.slice(1)
}

async function newKey() {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  const kid = randomBytes(8).toString('hex')
  return { ...privateKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' }
}

function path(request) {
  return request.url.split('?')[0]
}
