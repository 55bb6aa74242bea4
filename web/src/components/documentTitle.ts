import { useEffect } from 'react'

export const PRODUCT = 'Atrium'

export function documentTitle(title?: string): string {
  return title ? `${title}-${PRODUCT}` : PRODUCT
}

export function useDocumentTitle(title?: string): void {
  useEffect(() => {
    document.title = documentTitle(title)
  }, [title])
}
