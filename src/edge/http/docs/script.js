// What the pages can do beyond reading: copy a block of code, filter the list of contents. They work without it.

for (const block of document.querySelectorAll('.code')) {
  // Absent where the page did not come over https or from this machine.
  if (navigator.clipboard === undefined) break;
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.querySelector('code').textContent);
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
  block.append(button);
}

const contents = document.querySelector('.contents details');
// Above the text rather than beside it, a long list is in the way.
if (contents !== null && matchMedia('(max-width: 60rem)').matches) contents.open = false;

const filter = document.querySelector('#filter');
if (filter !== null) {
  filter.parentElement.hidden = false;
  filter.addEventListener('input', () => {
    const words = filter.value.toLowerCase().split(/\s+/);
    const matches = (link) => {
      const text = `${link.textContent} ${link.title}`.toLowerCase();
      return words.every((word) => text.includes(word));
    };
    for (const item of contents.querySelectorAll('li')) {
      item.hidden = ![...item.querySelectorAll('a')].some(matches);
    }
  });
}
