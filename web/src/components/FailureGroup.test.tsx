import { render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { spaced, user } from '../testing/app'
import { FailureGroup } from './FailureGroup'
import { LoadFailure } from './LoadFailure'

function Part({ onRetry }: { onRetry: () => void }) {
  return <LoadFailure error={new Error('服务器内部错误')} retrying={false} onRetry={onRetry} />
}

const retries = () => screen.getAllByRole('button', { name: spaced('重试') })

it('of several failures the page has one way to try again, for all of them', async () => {
  const parts = Array.from({ length: 9 }, () => vi.fn())
  render(
    <FailureGroup>
      {parts.map((onRetry, index) => (
        <Part key={index} onRetry={onRetry} />
      ))}
    </FailureGroup>,
  )
  expect(screen.getAllByText('没有加载出来')).toHaveLength(9)
  expect(screen.getAllByRole('alert')).toHaveLength(1)
  expect(retries()).toHaveLength(1)
  await user.click(retries()[0]!)
  for (const onRetry of parts) expect(onRetry).toHaveBeenCalledOnce()
})

it('a single failure stays in its place, and is alone again once the others are gone', () => {
  const { rerender } = render(
    <FailureGroup>
      <p>above</p>
      <Part key="a" onRetry={() => {}} />
      <Part key="b" onRetry={() => {}} />
    </FailureGroup>,
  )
  rerender(
    <FailureGroup>
      <p>above</p>
      <Part key="a" onRetry={() => {}} />
    </FailureGroup>,
  )
  expect(screen.queryByText('没有加载出来')).toBeNull()
  expect(retries()).toHaveLength(1)
  const alert = screen.getByRole('alert')
  expect(screen.getByText('above').compareDocumentPosition(alert)).toBe(
    Node.DOCUMENT_POSITION_FOLLOWING,
  )
})
