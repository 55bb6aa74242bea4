/** The flow between a call that requires a recent sign-in and the dialog that asks for one. */
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { askForProof, settleProof, useReauth } from '../components/reauth'
import { ok, refusal, stubServer } from '../testing/server'
import { bindFailureHandlers } from './client'
import { ApiError } from './errors'
import { deleteAccount, exportMyData, renewRecoveryCodes } from './security'

const notify = vi.fn()
const wantsProof = refusal(403, {
  message: '',
  errors: [{ error: '请再次确认身份', code: 'reauth_required' }],
})

/** Refuses until identity is confirmed. */
function onceProved(answer: () => Response): () => Response {
  return () => (proved ? answer() : wantsProof())
}

let proved = false
function prove() {
  proved = true
  settleProof(true)
}

beforeEach(() => {
  proved = false
  notify.mockReset()
  useReauth.setState({ asking: false })
  bindFailureHandlers({ notify, reauthenticate: askForProof })
})

const asking = () => vi.waitFor(() => expect(useReauth.getState().asking).toBe(true))

describe('a call that wants a recent sign-in', () => {
  it('waits for the proof, and is then made once more with the same body', async () => {
    const seen = stubServer({ '/current': onceProved(ok({})) })
    const deletion = deleteAccount('lin@example.com')
    await asking()
    prove()
    await expect(deletion).resolves.toEqual({})
    expect(seen.map(({ method, body }) => [method, body])).toEqual([
      ['DELETE', '{"email":"lin@example.com"}'],
      ['DELETE', '{"email":"lin@example.com"}'],
    ])
    expect(useReauth.getState().asking).toBe(false)
  })

  it('shares one dialog with every other such call', async () => {
    const ask = vi.fn(askForProof)
    bindFailureHandlers({ notify, reauthenticate: ask })
    const seen = stubServer({
      '/current/mfa/recovery-codes': onceProved(ok({ recovery_codes: ['abcde-fghij'] })),
      '/current': onceProved(ok({})),
    })
    const both = Promise.all([renewRecoveryCodes(), deleteAccount('lin@example.com')])
    await vi.waitFor(() => expect(ask).toHaveBeenCalledTimes(2))
    expect(ask.mock.results[0]!.value).toBe(ask.mock.results[1]!.value)
    prove()
    await expect(both).resolves.toEqual([['abcde-fghij'], {}])
    expect(seen).toHaveLength(4)
  })

  it('is repeated once and no more', async () => {
    const seen = stubServer({ '/current': wantsProof })
    const deletion = deleteAccount('lin@example.com')
    await asking()
    settleProof(true)
    await expect(deletion).rejects.toMatchObject({ status: 403, code: 'reauth_required' })
    expect(seen).toHaveLength(2)
    expect(useReauth.getState().asking).toBe(false)
  })

  it('fails without a word where the person gives up', async () => {
    const seen = stubServer({ '/current': wantsProof })
    const deletion = deleteAccount('lin@example.com').catch((error: unknown) => error)
    await asking()
    settleProof(false)
    const failure = await deletion
    expect(failure).toBeInstanceOf(ApiError)
    expect(failure).toMatchObject({ code: 'reauth_cancelled', message: '' })
    expect(seen).toHaveLength(1)
    expect(notify).not.toHaveBeenCalled()
  })

  it('asks anew for the next one', async () => {
    stubServer({ '/current': wantsProof })
    for (const round of [1, 2]) {
      const deletion = deleteAccount('lin@example.com').catch(() => round)
      await asking()
      settleProof(false)
      await expect(deletion).resolves.toBe(round)
    }
  })

  it('may answer with a file', async () => {
    stubServer({ '/current/export': onceProved(() => new Response('{"me":1}')) })
    const file = exportMyData()
    await asking()
    prove()
    expect(await (await file).text()).toBe('{"me":1}')
  })
})

it('takes no other refusal for a question', async () => {
  const body = { message: '', errors: [{ error: '没有权限', code: 'forbidden' }] }
  const seen = stubServer({ '/current': refusal(403, body) })
  await expect(deleteAccount('lin@example.com')).rejects.toMatchObject({ code: 'forbidden' })
  expect(seen).toHaveLength(1)
  expect(useReauth.getState().asking).toBe(false)
})
