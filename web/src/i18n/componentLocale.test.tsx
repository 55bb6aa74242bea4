import { render, screen } from '@testing-library/react'
import { ConfigProvider, Empty } from 'antd'
import { expect, test } from 'vitest'
import { useComponentLocale } from './componentLocale'

function Page() {
  const locale = useComponentLocale('zh-CN')
  return (
    <ConfigProvider locale={locale}>
      <input aria-label="name" />
      <Empty />
    </ConfigProvider>
  )
}

test('the words of components arrive without the page being built anew', async () => {
  render(<Page />)
  const field = screen.getByRole('textbox')
  await screen.findAllByText('暂无数据')
  expect(screen.getByRole('textbox')).toBe(field)
})
