import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { ConfigProvider } from 'antd'
import { expect, it, vi } from 'vitest'
import { useComponentLocale } from '../../i18n/componentLocale'
import type { LanguageCode } from '../../i18n/language'
import { user } from '../../testing/app'
import { DayInput } from './DayInput'

function InLanguage({ code, ...props }: { code: LanguageCode } & Parameters<typeof DayInput>[0]) {
  return (
    <ConfigProvider locale={useComponentLocale(code)}>
      <label htmlFor="day">日期</label>
      <DayInput {...props} id="day" />
    </ConfigProvider>
  )
}

const month = () => document.querySelector('.ant-picker-month-btn')?.textContent
const field = () => screen.getByLabelText<HTMLInputElement>('日期')

it('speaks the language of the console, not that of the browser', async () => {
  const shown = { value: '2026-03-01', onChange: () => {} }
  const { rerender } = render(<InLanguage code="zh-CN" {...shown} />)
  expect(field().type).toBe('text')
  await user.click(field())
  await waitFor(() => expect(month()).toBe('3月'))
  rerender(<InLanguage code="en-US" {...shown} />)
  await waitFor(() => expect(month()).toBe('Mar'))
})

it('takes what is typed once it is a day, and an empty field', () => {
  const onChange = vi.fn()
  render(<InLanguage code="en-US" value="2026-03-01" onChange={onChange} />)
  for (const value of ['2026-03', '2026-02-30', '03/04/2026']) {
    fireEvent.change(field(), { target: { value } })
  }
  expect(onChange).not.toHaveBeenCalled()
  fireEvent.change(field(), { target: { value: '2026-02-28' } })
  expect(onChange).toHaveBeenLastCalledWith('2026-02-28')
  fireEvent.change(field(), { target: { value: '' } })
  expect(onChange).toHaveBeenLastCalledWith('')
})
