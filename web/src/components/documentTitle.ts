import { useEffect } from 'react'
import { create } from 'zustand'
import { isolated } from '../lib/bidi'

export const PRODUCT = 'Atrium'

interface TitleParts {
  /** Shown instead of the page that the URL names. */
  instead: string | null
  /** The name of the app whose pages these are. */
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

/** For anything shown instead of a page: not found, no access, not loaded. */
export function useTitleInstead(instead: string): void {
  useTitlePart({ instead })
}

/** For an app's frame: adds the app's name, which tells its pages apart. */
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
