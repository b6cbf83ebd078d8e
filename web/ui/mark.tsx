/** The logo of Posthorn. The name is shown beside the logo. */
export function Mark({ className = 'size-6' }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={`shrink-0 ${className}`}>
      <rect width="32" height="32" rx="7" className="fill-fill" />
      <g className="fill-none stroke-on-fill" strokeWidth="3">
        <circle cx="13" cy="18" r="6" />
      </g>
      <path d="M18 14 27 7v14l-8-3z" className="fill-on-fill" />
    </svg>
  );
}
