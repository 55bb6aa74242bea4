import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { useConnection } from '../../api/connection'
import { ApiError } from '../../api/errors'
import { changeLanguage, t, useLanguageStore } from '../../i18n/store'
import { browser } from '../../lib/navigation'
import { readPack } from '../../testing/packs'
import { ok, stubServer } from '../../testing/server'
import { useOutdated } from '../onDemand'
import { NoticeHost, showFailure, useNotices } from './notices'
import { StandingNotice } from './StandingNotice'

const failure = (text: () => string, requestId: string | null = null) =>
  new ApiError({ status: 500, code: null, text, requestId })

/** Uses the fake clock from the start, so slow rendering doesn't count. */
const showAtOnce = async (error: ApiError) => {
  act(() => showFailure(error))
  await act(() => vi.advanceTimersByTimeAsync(50))
}

/** happy-dom never finishes the closing animation, so check the store. */
const shown = () => useNotices.getState().shown

beforeAll(() => import('./NoticeStack'))
beforeEach(() => useNotices.setState({ waiting: [], shown: [] }))
afterEach(() => vi.useRealTimers())

describe('a failure', () => {
  it('is shown top right, 384 px wide and 24 px from the edge', async () => {
    render(<NoticeHost />)
    act(() => showFailure(failure(() => '出错了')))
    const notice = await screen.findByRole('alert')
    expect(notice.textContent).toContain('出错了')
    expect(notice.style.width).toBe('384px')
    const list = notice.closest<HTMLElement>('.ant-notification')!
    expect(list.className).toContain('topRight')
    expect(list.style.top || list.outerHTML).toContain('24px')
  })

  it('goes after 4.5 seconds', async () => {
    vi.useFakeTimers()
    render(<NoticeHost />)
    await showAtOnce(failure(() => '首次'))
    await act(() => vi.advanceTimersByTimeAsync(4_300))
    expect(shown()).toEqual(['首次'])
    await act(() => vi.advanceTimersByTimeAsync(300))
    expect(shown()).toEqual([])
  })

  it('stays while it has the focus', async () => {
    vi.useFakeTimers()
    render(<NoticeHost />)
    await showAtOnce(failure(() => '首次', 'r-1'))
    const button = screen.getByRole('alert').querySelector('button')!
    fireEvent.focus(button)
    await act(() => vi.advanceTimersByTimeAsync(60_000))
    expect(shown()).toEqual(['首次'])
    fireEvent.blur(button)
    await act(() => vi.advanceTimersByTimeAsync(4_300))
    expect(shown()).toEqual(['首次'])
    await act(() => vi.advanceTimersByTimeAsync(300))
    expect(shown()).toEqual([])
  })

  it('is shown once for equal ones, and again when it is over', async () => {
    render(<NoticeHost />)
    act(() => {
      for (let call = 0; call < 5; call += 1) showFailure(failure(() => '服务器出错了'))
      showFailure(failure(() => '没有权限'))
    })
    await waitFor(() => expect(screen.getAllByRole('alert')).toHaveLength(2))
    act(() => showFailure(failure(() => '服务器出错了')))
    expect(screen.getAllByRole('alert')).toHaveLength(2)
    for (const button of screen.getAllByRole('button', { name: '关闭' })) fireEvent.click(button)
    await waitFor(() => expect(shown()).toEqual([]))
    act(() => showFailure(failure(() => '服务器出错了')))
    expect((await screen.findByText('服务器出错了')).textContent).toBe('服务器出错了')
  })

  it('is reached by F8, lets its request id be copied and is left by Escape', async () => {
    const copied = vi.fn(() => Promise.resolve())
    vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText: copied } })
    render(
      <>
        <input aria-label="field" />
        <NoticeHost />
      </>,
    )
    act(() => showFailure(failure(() => '出错了', 'req-42')))
    expect((await screen.findByRole('alert')).textContent).toContain('请求编号：req-42')
    const field = screen.getByLabelText('field')
    field.focus()
    fireEvent.keyDown(field, { key: 'F8' })
    const copy = screen.getByRole('button', { name: '复制请求编号' })
    expect(document.activeElement).toBe(copy)
    fireEvent.click(copy)
    expect(copied).toHaveBeenCalledWith('req-42')
    await screen.findByText('已复制')
    fireEvent.keyDown(copy, { key: 'Escape' })
    expect(shown()).toEqual([])
    expect(document.activeElement).toBe(field)
  })

  it('follows a switch of language', async () => {
    render(<NoticeHost />)
    act(() => showFailure(failure(() => t('error.status.500'))))
    expect((await screen.findByRole('alert')).textContent).toContain('服务器出错了')
    useLanguageStore.setState({ allLangPackage: { 'en-US': readPack('en-US') } })
    await act(() => changeLanguage('en-US'))
    expect(screen.getByRole('alert').textContent).toContain('Server error')
  })
})

describe('what stays on screen', () => {
  it('a lost connection, with a retry', async () => {
    stubServer({ '/build-info': ok({}) })
    render(<StandingNotice />)
    expect(screen.queryByRole('alert')).toBeNull()
    act(() => useConnection.setState({ state: 'lost' }))
    expect(screen.getByRole('alert').textContent).toContain('网络连接已断开')
    fireEvent.click(screen.getByRole('button'))
    expect((await screen.findByRole('status')).textContent).toBe('网络已恢复')
  })

  it('a part that is no longer there, until the page is reloaded or that is put off', async () => {
    const reload = vi.spyOn(browser, 'reload').mockImplementation(() => {})
    render(<StandingNotice />)
    act(() => useOutdated.setState({ outdated: true }))
    expect(screen.getByRole('alert').textContent).toContain('控制台已更新')
    fireEvent.click(screen.getAllByRole('button')[0]!)
    expect(reload).toHaveBeenCalledTimes(1)
    fireEvent.click(screen.getAllByRole('button')[1]!)
    expect(screen.queryByRole('alert')).toBeNull()
  })
})
