/** A number that leads to the rows that it counts. A single digit must be large enough for a finger (WCAG 2.2, 2.5.8 Target size). */
export const countLink =
  'underline decoration-edge decoration-dotted underline-offset-4 hover:text-accent -mx-2 -my-1 inline-block min-w-6 px-2 py-1 text-center';
