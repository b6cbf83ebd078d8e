/** The colors of labels in the web client. Each color has a text and a background with enough contrast, in light and in dark. */
export const LABEL_COLORS = ['red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple', 'pink'] as const;

export type LabelColor = (typeof LABEL_COLORS)[number];
