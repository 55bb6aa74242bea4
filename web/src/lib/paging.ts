/** Of every list, unless the address says otherwise. */
export const DEFAULT_PAGE_SIZE = 20
