/** What every other file relies on: axe catches a page that shuts people out. */
import { violationsIn } from './axe'
import { expect, test } from './test'

const BAD = `<!doctype html><html><head></head><body><main>
  <h1>Bad</h1>
  <img src="data:,">
  <input type="text">
  <p style="color: #999; background: #fff">faint</p>
  <button class="busy"></button>
</main></body></html>`

test('what is wrong with a page is told, by its rule and its place', async ({ page }) => {
  await page.setContent(BAD)
  const rules = async (look?: Parameters<typeof violationsIn>[1]) =>
    (await violationsIn(page, look)).map((fault) => fault.split(' ')[1])
  const all = ['button-name:', 'color-contrast:', 'document-title:', 'html-has-lang:']
  expect((await rules()).sort()).toEqual([...all, 'image-alt:', 'label:'])
  // A second run on the same document, as for the other theme.
  expect(await rules({ only: ['color-contrast'] })).toEqual(['color-contrast:'])
  const without = ['color-contrast', 'label', 'image-alt']
  const rest = await rules({ without, exclude: ['.busy'] })
  expect(rest.sort()).toEqual(['document-title:', 'html-has-lang:'])
  expect((await violationsIn(page, { only: ['image-alt'] })).join()).toContain('<img src="data:,">')
})
