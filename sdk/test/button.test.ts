import { describe, expect, it } from 'vitest'
import { events, flushed, messages, start, usePage } from './support'

usePage()

function show(html: string): HTMLElement {
  document.body.innerHTML = html
  return document.body.querySelector<HTMLElement>('[data-target]')!
}

const buttons = () => messages().map(({ data }) => data.properties)

describe('clicks', () => {
  it.each([
    ['<button id="buy" data-target> Buy \n now </button>', 'buy', 'Buy now'],
    ['<button id="buy"><b data-target>Buy</b> now</button>', 'buy', 'Buy now'],
    ['<div role="button" data-target>Menu</div>', '', 'Menu'],
    ['<input type="button" id="b" value="Go" data-target>', 'b', 'Go'],
    ['<form><input type="submit" value="Send" data-target></form>', '', 'Send'],
  ])('on %s are reported', async (html, button_id, button_label) => {
    const client = start({ clicks: true })
    document.addEventListener('submit', (event) => event.preventDefault(), { once: true })
    show(html).click()
    await flushed(client)
    expect(events()).toEqual(['button_click'])
    expect(buttons()).toEqual([{ button_id, button_label }])
  })

  it.each([
    '<a href="#x" data-target>Link</a>',
    '<input type="text" value="secret" data-target>',
    '<input type="checkbox" data-target>',
    '<p data-target>Text</p>',
    '<button data-atrium-ignore data-target>Hidden</button>',
    '<div data-atrium-ignore><button data-target>Hidden</button></div>',
    '<button><b data-atrium-ignore data-target>Hidden</b></button>',
  ])('on %s are not', async (html) => {
    const client = start({ clicks: true })
    show(html).click()
    await flushed(client)
    expect(events()).toEqual([])
  })

  it('are seen even where the page stops them', async () => {
    const client = start({ clicks: true })
    const button = show('<button data-target>Stop</button>')
    button.addEventListener('click', (event) => event.stopPropagation())
    button.click()
    await flushed(client)
    expect(events()).toEqual(['button_click'])
  })

  it('are on unless they are switched off, and end with close()', async () => {
    const button = show('<button data-target>Go</button>')
    const client = start({ clicks: undefined })
    start({ clicks: false })
    button.click()
    await flushed(client)
    client.close()
    button.click()
    await flushed(client)
    expect(events()).toEqual(['button_click'])
  })
})

describe('buttonClick', () => {
  it('takes an element, or an id and a label', async () => {
    const client = start()
    const element = show('<button id="buy" data-target>Buy</button>')
    client.buttonClick(element, { price: 3 })
    client.buttonClick({ id: 'own', label: ' Own ' })
    client.buttonClick({ element, label: 'Other' })
    client.buttonClick({ element, id: '' })
    client.buttonClick({})
    await flushed(client)
    expect(buttons()).toEqual([
      { button_id: 'buy', button_label: 'Buy', price: 3 },
      { button_id: 'own', button_label: 'Own' },
      { button_id: 'buy', button_label: 'Other' },
      { button_id: '', button_label: 'Buy' },
      { button_id: '', button_label: '' },
    ])
  })

  it('cuts a label to 100 characters, and none of them in half', async () => {
    const client = start()
    client.buttonClick({ label: '👍'.repeat(120) })
    client.buttonClick({ label: 'x'.repeat(99) + ' y' })
    await flushed(client)
    expect(buttons().map(({ button_label }) => button_label)).toEqual([
      '👍'.repeat(100),
      'x'.repeat(99),
    ])
  })

  it.each([
    '<input type="text" value="secret" role="button" data-target>',
    '<input type="password" value="secret" data-target>',
    '<textarea data-target>secret</textarea>',
    '<select data-target><option>secret</option></select>',
  ])('never reads what a person typed: %s', async (html) => {
    const client = start()
    client.buttonClick(show(html))
    await flushed(client)
    expect(buttons()[0]!.button_label).toBe('')
  })

  it('never reads text that is being edited', async () => {
    const client = start()
    const element = show('<div role="button" data-target>secret</div>')
    Object.defineProperty(element, 'isContentEditable', { value: true })
    client.buttonClick(element)
    await flushed(client)
    expect(buttons()[0]!.button_label).toBe('')
  })

  it('prefers the text that is visible', async () => {
    const client = start()
    const element = show('<button data-target>Buy <i hidden>secret</i></button>')
    Object.defineProperty(element, 'innerText', { value: 'Buy' })
    client.buttonClick(element)
    await flushed(client)
    expect(buttons()[0]!.button_label).toBe('Buy')
  })

  it('leaves an ignored element alone', async () => {
    const client = start()
    client.buttonClick(show('<p data-atrium-ignore><button data-target>Go</button></p>'))
    await flushed(client)
    expect(events()).toEqual([])
  })
})
