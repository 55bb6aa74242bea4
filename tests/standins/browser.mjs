/**
 * For the stand-ins' tests: a browser reduced to its cookies, with ways to submit a page's forms.
 */

export function browser() {
  const jar = new Map()

  /** Follows redirects while they stay on the same server, and returns where it ended up. */
  async function visit(url, options = {}) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      ...options,
      redirect: 'manual',
      headers: { ...options.headers, cookie },
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)
      if (value) jar.set(name, value)
      else jar.delete(name)
    }
    const location = response.headers.get('location')
    if (!location) return { url, response, html: await response.text() }
    const next = new URL(location, url)
    if (next.origin !== new URL(url).origin) return { url: next }
    return visit(next.href)
  }

  return { visit }
}

export async function post(url, body, headers = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return { status: response.status, ...(await response.json()) }
}

export async function get(url, headers = {}) {
  const response = await fetch(url, { headers })
  return { status: response.status, ...(await response.json()) }
}
