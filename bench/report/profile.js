"use strict";
// A page of profiles.
document.querySelector("main").append(...PROFILES.flatMap((profile) => stacks(profile, "h2")));
