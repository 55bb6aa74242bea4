// @vitest-environment node
import { expect, it } from 'vitest'
import { init } from '../src/index'

it('is silent where there is no page, as in rendering on a server', async () => {
  const client = init({ url: 'https://in.example', appKey: 'ck_test' })
  client.track('a')
  client.pageView()
  expect(client.isOptedOut()).toBeFalsy()
  await client.flush()
  client.optOut()
  client.close()
})
