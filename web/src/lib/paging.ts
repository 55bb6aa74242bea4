/** For every list, unless the URL says otherwise. */
export const DEFAULT_PAGE_SIZE = 20
