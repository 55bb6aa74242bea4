/** For the tests of the stand-ins: a browser reduced to its cookies, and ways to press what is there. */

export function browser() {
  const jar = new Map()

  /** Goes where it is led as long as that is the same server, and returns where it ended. */
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
