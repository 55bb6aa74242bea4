import { useEffect } from 'react'
import { create } from 'zustand'
import { isolated } from '../lib/bidi'

export const PRODUCT = 'Atrium'

interface TitleParts {
  /** What is shown in place of the page that the address names. */
  instead: string | null
  /** The app that the pages are of. */
  of: string | null
}

const useTitleParts = create<TitleParts>()(() => ({ instead: null, of: null }))

function documentTitle(title?: string): string {
  return title ? `${title}-${PRODUCT}` : PRODUCT
}

export function useDocumentTitle(page?: string): void {
  const { instead, of } = useTitleParts()
  const shown = instead ?? page
  const title = shown && of ? `${shown} · ${isolated(of)}` : shown
  useEffect(() => {
    document.title = documentTitle(title)
  }, [title])
}

/** For whatever stands in the place of a page: not found, not allowed, not loaded. */
export function useTitleInstead(instead: string): void {
  useTitlePart({ instead })
}

/** For the frame of an app: its pages are told apart by its name. */
export function useTitleOf(of: string | null): void {
  useTitlePart({ of })
}

function useTitlePart(part: Partial<TitleParts>): void {
  const [name, value] = Object.entries(part)[0] as [keyof TitleParts, string | null]
  useEffect(() => {
    useTitleParts.setState({ [name]: value })
    return () => useTitleParts.setState({ [name]: null })
  }, [name, value])
}
