import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen, within } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import type { MemberImpact, Org, OrgMember } from '../../../api/orgs'
import { queryClient } from '../../../api/queryClient'
import { user } from '../../../testing/app'
import { ok, stubServer } from '../../../testing/server'
import { RemoveMemberDialog } from './RemoveMemberDialog'

const key = (id: string) => ({ id, name: `程序 ${id}`, app_id: 'app-1', app_name: '商城' })

it('shows the keys that someone made, counts those it does not name, and can disable them', async () => {
  const impact: MemberImpact = {
    apps: [],
    app_count: 2,
    access_keys: [key('AK1'), key('AK2')],
    access_key_count: 1_202,
  }
  const seen = stubServer({
    '/orgs/org-1/members/u1/impact': ok(impact),
    '/orgs/org-1/members/u1': ok({}),
  })
  const onDone = vi.fn()
  const member = { user_id: 'u1', name: '林小雨', email: 'lin@example.com' } as OrgMember
  render(
    <QueryClientProvider client={queryClient}>
      <RemoveMemberDialog
        org={{ id: 'org-1' } as Org}
        member={member}
        onDone={onDone}
        onCancel={() => {}}
      />
    </QueryClientProvider>,
  )
  const dialog = within(await screen.findByRole('dialog'))
  expect(await dialog.findByText('1,202')).toBeShown()
  expect(dialog.getByText('程序 AK1（商城）')).toBeShown()
  expect(dialog.getByText('另有 1,200 个')).toBeShown()
  await user.click(dialog.getByRole('checkbox'))
  await user.click(dialog.getByRole('button', { name: '移出团队' }))
  await vi.waitFor(() => expect(onDone).toHaveBeenCalled())
  expect(seen.at(-1)).toMatchObject({ method: 'DELETE', query: 'disable_keys=true' })
})
