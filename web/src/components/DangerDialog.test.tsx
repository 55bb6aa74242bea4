import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { errorOfAnswer } from '../api/errors'
import { queryClient } from '../api/queryClient'
import { DangerDialog } from './DangerDialog'

interface DialogProps {
  load?: () => Promise<{ members: number }>
  send?: (name: string) => Promise<unknown>
  onDone?: () => void
}

function Dialog({ load, send = async () => null, onDone = () => {} }: DialogProps) {
  const impact = useQuery({
    queryKey: ['impact'],
    queryFn: load ?? (async () => ({ members: 12345 })),
    retry: false,
  })
  return (
    <DangerDialog
      title="删除“默认”？"
      confirm="删除"
      name="默认"
      impact={impact}
      hits={({ members }) => [{ label: '成员', count: members }]}
      send={send}
      onDone={onDone}
      onCancel={() => {}}
    >
      <p>30 天内可以恢复。</p>
    </DangerDialog>
  )
}

const show = (props: DialogProps) =>
  render(
    <QueryClientProvider client={queryClient}>
      <Dialog {...props} />
    </QueryClientProvider>,
  )

const button = () => screen.findByRole('button', { name: /^删\s?除$/ })

it('says in numbers what it hits, and waits for the name', async () => {
  const send = vi.fn(async () => null)
  const onDone = vi.fn()
  show({ send, onDone })
  expect(await screen.findByText('12,345')).toBeShown()
  expect((await button()).hasAttribute('disabled')).toBe(true)
  await userEvent.type(screen.getByLabelText('请输入“默认”以确认'), ' 默认 ')
  await userEvent.click(await button())
  await waitFor(() => expect(onDone).toHaveBeenCalledOnce())
  expect(send).toHaveBeenCalledExactlyOnceWith('默认')
})

it('cannot be confirmed before the numbers are known', async () => {
  const load = vi.fn<() => Promise<{ members: number }>>().mockRejectedValueOnce(new Error('断了'))
  load.mockResolvedValueOnce({ members: 1 })
  show({ load })
  expect(screen.queryByRole('button', { name: /^删\s?除$/ })).toBeNull()
  await userEvent.click(await screen.findByRole('button', { name: /^重\s?试$/ }))
  expect(await button()).toBeShown()
})

it('puts what the server says about the name on its field', async () => {
  const errors = [{ error: '名称不一致', code: 'wrong_name', field: 'name' }]
  const refused = errorOfAnswer(new Response('', { status: 422 }), { message: '', errors })
  show({ send: () => Promise.reject(refused) })
  await button()
  await userEvent.type(screen.getByLabelText('请输入“默认”以确认'), '默认')
  await userEvent.click(await button())
  expect(await screen.findByText('名称不一致')).toBeShown()
})
