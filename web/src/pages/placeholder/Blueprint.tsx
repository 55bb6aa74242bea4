/** The outline of a page that is not there yet. Decoration only. */
export function Blueprint() {
  return (
    <svg width="120" height="72" viewBox="0 0 120 72" fill="none" aria-hidden="true">
      <g stroke="var(--brand)" strokeOpacity="0.55" strokeDasharray="4 4">
        <rect x="0.5" y="0.5" width="119" height="71" rx="7.5" />
        <path d="M0 18h120M34 18v54" />
      </g>
      <g fill="var(--brand)" fillOpacity="0.22">
        <rect x="8" y="28" width="18" height="4" rx="2" />
        <rect x="8" y="38" width="18" height="4" rx="2" />
        <rect x="44" y="28" width="64" height="4" rx="2" />
        <rect x="44" y="38" width="48" height="4" rx="2" />
        <rect x="44" y="48" width="56" height="4" rx="2" />
      </g>
    </svg>
  )
}
