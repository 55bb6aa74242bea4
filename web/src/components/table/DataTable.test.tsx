import { QueryClientProvider, queryOptions, useQuery } from '@tanstack/react-query'
import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { expect, it, vi } from 'vitest'
import { errorOfAnswer } from '../../api/errors'
import { queryClient } from '../../api/queryClient'
import type { Column } from './columns'
import { Counted } from './Counted'
import { DataTable } from './DataTable'

interface Fruit {
  id: string
  name: string
  count: number | null
}

const COLUMNS: Column<Fruit>[] = [
  { key: 'name', title: '名称', sorts: true, heads: true, render: ({ name }) => name },
  { key: 'count', title: '数量', numeric: true, render: ({ count }) => <Counted value={count} /> },
]
const APPLE = { id: '1', name: '苹果', count: 1234567 }

type Answer = () => Promise<{ items: Fruit[]; total: number }>

function List({ answer, search, page = 1, onChange = () => {} }: ListProps) {
  const query = useQuery(
    queryOptions({ queryKey: ['fruit', search, page], queryFn: answer, retry: false }),
  )
  return (
    <DataTable
      label="水果"
      query={query}
      params={{ page, page_size: 20, search }}
      onChange={onChange}
      onClear={() => onChange({ search: undefined })}
      rowKey={({ id }) => id}
      columns={COLUMNS}
      empty={<p>还没有水果</p>}
    />
  )
}

interface ListProps {
  answer: Answer
  search?: string
  page?: number
  onChange?: (change: object) => void
}

const show = (props: ListProps) =>
  render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <List {...props} />
      </MemoryRouter>
    </QueryClientProvider>,
  )

it('shows rows, counts with separators, and a way to sort', async () => {
  const onChange = vi.fn()
  show({
    answer: async () => ({ items: [APPLE, { ...APPLE, id: '2', count: null }], total: 2 }),
    onChange,
  })
  const [, first, second] = await screen.findAllByRole('row')
  expect(within(first!).getByText('1,234,567')).toBeShown()
  expect(within(second!).getByText('—')).toBeShown()
  await userEvent.click(screen.getByRole('columnheader', { name: '名称' }))
  expect(onChange).toHaveBeenCalledExactlyOnceWith({ sort: 'name', order: 'asc' })
})

it('tells an empty list from a search that found nothing', async () => {
  const answer: Answer = async () => ({ items: [], total: 0 })
  show({ answer })
  expect(await screen.findByText('还没有水果')).toBeShown()

  const onChange = vi.fn()
  show({ answer, search: '梨', onChange })
  expect(await screen.findByText('没有符合条件的结果。')).toBeShown()
  await userEvent.click(screen.getByRole('button', { name: '清除条件' }))
  expect(onChange).toHaveBeenCalledExactlyOnceWith({ search: undefined })
})

it('says what failed, with its id, and tries again', async () => {
  const headers = { 'x-request-id': 'req-9' }
  const failure = errorOfAnswer(new Response('', { status: 500, headers }), '')
  const answer = vi.fn<Answer>().mockRejectedValueOnce(failure)
  answer.mockResolvedValueOnce({ items: [APPLE], total: 1 })
  show({ answer })
  expect(screen.getByRole('status').textContent).toBe('加载中')
  expect((await screen.findByRole('alert')).textContent).toContain('req-9')
  await userEvent.click(screen.getByRole('button', { name: /^重\s?试$/ }))
  expect(await screen.findByText('苹果')).toBeShown()
})

it('leaves a page that is not there', async () => {
  const onChange = vi.fn()
  show({ answer: async () => ({ items: [], total: 1 }), page: 9, onChange })
  await vi.waitFor(() => expect(onChange).toHaveBeenCalledWith({ page: 1 }))
})
