import { PRODUCT } from './documentTitle'
import styles from './BrandMark.module.css'

/** An atrium's arch. */
export function BrandArch({ size }: { size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="var(--brand)" />
      <path d="M7 25V15a9 9 0 0 1 18 0v10h-5V15a4 4 0 0 0-8 0v10z" fill="#fff" />
      <circle cx="16" cy="22.5" r="2.5" fill="#fff" />
    </svg>
  )
}

/** The arch with the product name. */
export function BrandMark({ size = 26 }: { size?: number }) {
  return (
    <span className={styles.mark}>
      <BrandArch size={size} />
      <span>{PRODUCT}</span>
    </span>
  )
}
