(() => {
  const part = id => document.getElementById(id);
  const later = seconds => new Promise(done => setTimeout(done, 1000 * seconds));
  const code = part("code"), slider = part("mm");
  let isMeasured = false, pixelMm = 1, number = null;

  const resize = () => {
    document.documentElement.style.setProperty("--mm", slider.value);
    code.width = Math.round(code.naturalWidth * pixelMm * slider.value);
  };
  slider.addEventListener("input", () => { isMeasured = true; resize(); });

  const listPhones = ({ phones, number }) => part("phones").replaceChildren(...phones.map(phone => {
    const line = document.createElement("li"), name = document.createElement("b"), time = document.createElement("span");
    name.textContent = phone.name;
    time.className = "time";
    if (number) time.textContent = phone.seconds === null ? "waiting" : `${phone.seconds.toFixed(1)} s`;
    line.className = phone.seconds === null ? "" : "read";
    line.append(name, time);
    return line;
  }));

  const showCode = async state => {
    const isLobby = state.number === 0;
    for (const one of document.querySelectorAll(".lobby")) one.hidden = !isLobby;
    part("skip").hidden = part("progress").hidden = isLobby;
    code.hidden = true;
    if (!isLobby) {
      part("progress").value = state.number - 1;
      part("over").textContent = `Step ${Math.ceil(state.number / 2)} of 12`;
      part("title").textContent = state.number % 2 ? "Now your code" : "Now a plain code";
      part("lead").textContent = `${state.step}. Scan it with each phone.`;
      part("ready").hidden = false;
      await later(state.pause);
      part("ready").hidden = true;
    }
    code.src = `picture?${state.number}`;
    try { await code.decode(); } catch { return; }  // skipped meanwhile
    pixelMm = state.pixelMm;
    resize();
    code.hidden = false;
  };

  const showResult = html => {
    const page = new DOMParser().parseFromString(html, "text/html"), save = document.createElement("a");
    save.className = "button";
    save.textContent = "Save this page";
    save.download = "trial.html";
    save.href = URL.createObjectURL(new Blob([html], { type: "text/html" }));
    document.title = page.title;
    const main = page.querySelector("main");
    main.append(save);
    document.querySelector("main").replaceWith(main);
  };

  const send = what => fetch(what, { method: "POST" });
  part("start").addEventListener("click", async () => {
    if (isMeasured) await send(`screen?${slider.value}`);
    send("next?0");
  });
  part("skip").addEventListener("click", () => send(`next?${number}`));
  part("stop").addEventListener("click", () => send("stop"));

  const watch = async () => {
    for (let revision = null, lost = 0; lost < 5;) {
      try {
        const reply = await fetch(`state?${revision}`);
        if (!reply.ok) break;
        const state = await reply.json();
        if (state.revision === revision) await later(1);  // nothing new, or too many pages wait
        revision = state.revision;
        lost = 0;
        if (state.isDone) {
          const result = await fetch("result");
          if (result.ok) return showResult(await result.text());
          break;
        }
        if (state.phones.length) listPhones(state);
        part("start").disabled = !state.phones.length;
        if (state.number !== number) showCode(state);
        number = state.number;
      } catch {
        lost += 1;
        await later(1);
      }
    }
    part("title").textContent = "This trial has ended";
    part("lead").textContent = "Its address leads nowhere any more.";
  };
  resize();
  watch();
})();
