import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { showInApp } from '../testing/app'
import { Moment } from './Moment'

it('shows a number, as the previous release sends it during an upgrade, like the same time as text', async () => {
  const at = Date.now() - 3 * 86_400_000
  showInApp(
    <>
      <p>
        <Moment at={at as unknown as string} />
      </p>
      <p>
        <Moment at={new Date(at).toISOString()} />
      </p>
    </>,
    { may: [], answers: {} },
  )
  const [number, text] = await screen.findAllByText(/3/, { selector: 'p *' })
  expect(number!.textContent).toBe(text!.textContent)
  expect(number!.textContent).not.toContain(String(at))
})
