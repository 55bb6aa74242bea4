/** The stand-ins' pages: plain HTML that a person clicks and a browser test drives. */

export function escape(text) {
  return String(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

/** `body` is already HTML; anything from outside must go through `escape` first. */
export function page(response, title, body, status = 200) {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
  })
  response.end(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 4rem auto; padding: 0 1rem; color: #222 }
  label, input, button { display: block; width: 100%; box-sizing: border-box; font: inherit }
  input, button { padding: .5rem; margin: .25rem 0 1rem }
  small { color: #666 }
</style>
<main>
<h1>${escape(title)}</h1>
${body}
<p><small>This is a stand-in for trying Atrium offline. It proves nothing about who you are.</small></p>
</main>
</html>
`)
}

/** A page that only says what is wrong with the request. */
export function refusal(response, title, reason) {
  page(response, title, `<p>${escape(reason)}</p>`, 400)
}

/** A page that signs in with one click; `people` are [value, label] pairs. */
export function choice(response, title, query, people) {
  const buttons = people.map(([value, shown]) => {
    const chosen = new URLSearchParams([...query, ['as', value]])
    return `<form method="post" action="?${escape(chosen)}"><button>${escape(shown)}</button></form>`
  })
  page(response, title, buttons.join('\n'))
}
