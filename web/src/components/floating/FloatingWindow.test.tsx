import { fireEvent, render, screen } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { FloatingWindow } from './FloatingWindow'
import { clamp, rememberedPlace, SIZE } from './place'

const KEY = 'atrium.floating'

function resize(width: number, height: number): void {
  Object.defineProperty(document.documentElement, 'clientWidth', {
    configurable: true,
    value: width,
  })
  vi.stubGlobal('innerHeight', height)
  fireEvent(window, new Event('resize'))
}

beforeEach(() => {
  localStorage.removeItem(KEY)
  resize(1000, 700)
})

const open = () =>
  render(
    <FloatingWindow title="Atrium(lin@example.com)" onClose={() => undefined}>
      text
    </FloatingWindow>,
  )
const handle = () => screen.getByRole('button', { name: 'Atrium(lin@example.com)' })
const place = () => {
  const { left, top } = screen.getByRole('dialog').style
  return [parseFloat(left), parseFloat(top)]
}

function drag(by: [number, number]): void {
  const [left = 0, top = 0] = place()
  const at = { pointerId: 1, button: 0, clientX: left + 10, clientY: top + 10 }
  const to = { pointerId: 1, clientX: at.clientX + by[0], clientY: at.clientY + by[1] }
  fireEvent.pointerDown(handle(), at)
  fireEvent.pointerMove(handle(), to)
  fireEvent.pointerUp(handle(), to)
}

it('is 300 by 140 in the corner at first', () => {
  open()
  const { width, height } = screen.getByRole('dialog').style
  expect([width, height]).toEqual(['300px', '140px'])
  expect(place()).toEqual([1000 - 300 - 24, 700 - 140 - 24])
})

it('goes where it is dragged and is there the next time', () => {
  const { unmount } = open()
  drag([-200, -300])
  expect(place()).toEqual([476, 236])
  unmount()
  open()
  expect(place()).toEqual([476, 236])
})

it('cannot be dragged out of sight', () => {
  open()
  drag([5000, 5000])
  expect(place()).toEqual([700, 560])
  drag([-5000, -5000])
  expect(place()).toEqual([0, 0])
  expect(rememberedPlace()).toEqual({ left: 0, top: 0 })
})

it('stays in sight when the window shrinks, and returns when it grows', () => {
  open()
  resize(390, 500)
  expect(place()).toEqual([90, 360])
  resize(1000, 700)
  expect(place()).toEqual([676, 536])
})

it('moves by the arrow keys within the same bounds', () => {
  open()
  fireEvent.keyDown(handle(), { key: 'ArrowLeft' })
  fireEvent.keyDown(handle(), { key: 'ArrowUp' })
  expect(place()).toEqual([660, 520])
  for (let times = 0; times < 10; times++) fireEvent.keyDown(handle(), { key: 'ArrowDown' })
  expect(place()).toEqual([660, 560])
  expect(rememberedPlace()).toEqual({ left: 660, top: 560 })
})

it('is not moved by another pointer, nor by a right click', () => {
  open()
  const before = place()
  fireEvent.pointerDown(handle(), { pointerId: 1, button: 2, clientX: 700, clientY: 550 })
  fireEvent.pointerMove(handle(), { pointerId: 1, clientX: 10, clientY: 10 })
  fireEvent.pointerMove(handle(), { pointerId: 2, clientX: 10, clientY: 10 })
  expect(place()).toEqual(before)
})

it.each(['nonsense', '{"left":"1"}', '[]', '{"left":1e999,"top":0}', 'null'])(
  'takes its usual place where %s is remembered',
  (kept) => {
    localStorage.setItem(KEY, kept)
    open()
    expect(place()).toEqual([676, 536])
  },
)

it('shows its corner where it does not fit', () => {
  expect(clamp({ left: 50, top: 50 }, SIZE, { width: 200, height: 100 })).toEqual({
    left: 0,
    top: 0,
  })
})
