(() => {
  const { locale, copied } = document.currentScript.dataset;

  // Copying works over https only, and not in every browser. Without it, people select the text.
  const offerCopies = isOffered => {
    for (const button of document.querySelectorAll(".copy")) button.hidden = !isOffered;
    for (const hint of document.querySelectorAll(".by-hand")) hint.hidden = isOffered;
  };
  const copy = async ({ currentTarget: button }) => {
    const label = button.textContent, status = document.querySelector("[role=status]");
    try {
      await navigator.clipboard.writeText(button.value);
    } catch {
      offerCopies(false);
      return;
    }
    if (label === copied) return;
    button.textContent = status.textContent = copied;
    setTimeout(() => { button.textContent = label; status.textContent = ""; }, 3000);
  };
  if (navigator.clipboard) {
    offerCopies(true);
    for (const button of document.querySelectorAll(".copy")) button.addEventListener("click", copy);
  }

  // A time is said again only where the clocks of the visitor and of the event differ.
  const format = new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "short" });
  for (const own of document.querySelectorAll(".own")) {
    const { dateTime } = own.previousElementSibling, moment = new Date(dateTime);
    const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)[:\d.]*$/.exec(dateTime);
    if (-moment.getTimezoneOffset() === Number(sign + 1) * (60 * hours + Number(minutes))) continue;
    own.lastElementChild.textContent = format.format(moment);
    own.hidden = false;
  }
})();
