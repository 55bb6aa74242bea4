import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { expect, it } from 'vitest'
import type { User } from '../../api/account'
import { environmentQuery, type Environment } from '../../api/environment'
import { queryClient } from '../../api/queryClient'
import { rememberUser } from '../../session/session'
import { useUser } from '../../session/useUser'
import { anEnvironment, aUser, ok, refusal, stubServer } from '../../testing/server'
import { NotificationsSection } from './NotificationsSection'

function Shown() {
  const user = useUser()
  return user && <NotificationsSection user={user} />
}

function show(changes: Partial<User> = {}, providers: Partial<Environment['providers']> = {}) {
  queryClient.setQueryData(environmentQuery.queryKey, {
    ...(anEnvironment as Environment),
    providers: { ...anEnvironment.providers, ...providers },
  })
  rememberUser({ ...aUser, notification_types: { invitation: ['email'] }, ...changes })
  render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <Shown />
      </MemoryRouter>
    </QueryClientProvider>,
  )
}

const box = (name: string) => screen.getByRole<HTMLInputElement>('checkbox', { name })

it('keeps mail about the account’s safety on', () => {
  show()
  expect(box('账号安全：邮件').checked).toBe(true)
  expect(box('账号安全：邮件').disabled).toBe(true)
  expect(box('账号安全：站内消息').disabled).toBe(false)
})

const bound = { wechatwork: null, feishu: { name: 'Lin', bound_at: aUser.created_at } }

it('shows a chat service only where there is one', () => {
  show({ bindings: bound }, { feishu: true })
  expect(screen.getByRole('columnheader', { name: '飞书' })).toBeShown()
  expect(screen.queryByRole('columnheader', { name: '企业微信' })).toBeNull()
  expect(box('团队邀请：飞书').disabled).toBe(false)
  expect(screen.queryByRole('link', { name: '去绑定' })).toBeNull()
})

it('takes nothing for a chat service before it is bound, and says how', () => {
  show({ bindings: bound }, { feishu: true, wechatwork: true })
  const closed = box('团队邀请：企业微信')
  expect(closed.disabled).toBe(true)
  const hint = document.getElementById(closed.getAttribute('aria-describedby')!)
  expect(hint?.textContent).toContain('绑定后才能从那里通知你')
  expect(screen.getByRole('link', { name: '去绑定' }).getAttribute('href')).toBe(
    '/account/user-info#bindings',
  )
  expect(box('团队邀请：飞书').disabled).toBe(false)
})

it('saves one type per change, at once', async () => {
  const saved = { invitation: ['email', 'in_app'] }
  const seen = stubServer({ '/current/notification-types': ok(saved) })
  show()
  await userEvent.click(box('团队邀请：站内消息'))
  expect(box('团队邀请：站内消息').checked).toBe(true)
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe('已保存'))
  expect(seen.map(({ body }) => JSON.parse(body) as unknown)).toEqual([saved])
})

it('takes back what the server refuses, and says so', async () => {
  const body = { message: '', errors: [{ error: '数据库忙', code: 'busy' }] }
  stubServer({ '/current/notification-types': refusal(503, body) })
  show()
  await userEvent.click(box('团队邀请：邮件'))
  expect((await screen.findByRole('alert')).textContent).toContain('数据库忙')
  expect(box('团队邀请：邮件').checked).toBe(true)
})
